import Foundation
import Kingfisher

struct ImageReader {
    private let downloader = ImageDownloader(name: "kingfisher-info")

    private let options: KingfisherOptionsInfo

    init(tls: TLSConfiguration, request: KingfisherOptionsInfo) {
        options = request + [.processor(UndecodedProcessor())]
        downloader.tlsConfiguration = tls
    }

    func bytes(of text: String) async throws -> Data {
        switch try SourceArgument(text, relativeTo: .currentFolder) {
        case .frame(let url, let seconds):
            try await VideoFrame(url, at: seconds) { $0.send(through: downloader, options) }.data()
        case .remote(let url):
            try await downloader.downloadImage(with: url, options: options)
                .originalData
        case .file(let url):
            try await InputFile(url: url, cacheKey: url.absoluteString).data()
        case .standardInput:
            try await StandardInput().data()
        case .inline(let bytes):
            bytes
        }
    }
}

/// Skips decoding of downloaded bytes, because only the header is read.
private struct UndecodedProcessor: ImageProcessor {
    let identifier = "kingfisher.undecoded"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
        Image()
    }
}

struct UnreadableImage: Error {
    let bytes: Data
}

extension URL {
    static var currentFolder: URL {
        URL(filePath: ".".realPath ?? "/", directoryHint: .isDirectory)
    }
}
