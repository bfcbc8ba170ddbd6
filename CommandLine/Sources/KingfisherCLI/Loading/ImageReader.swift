import Foundation
import Kingfisher

/// Fetches a source's bytes without decoding them.
struct ImageReader {
    private let downloader = ImageDownloader(name: "kingfisher-info")

    init(tls: TLSConfiguration) {
        downloader.tlsConfiguration = tls
    }

    func bytes(of text: String) async throws -> Data {
        switch try SourceArgument(text, relativeTo: .currentFolder) {
        case .remote(let url):
            try await downloader.downloadImage(with: url, options: [.processor(UndecodedProcessor())])
                .originalData
        case .file(let url):
            try await InputFile(url: url, cacheKey: url.absoluteString).data()
        case .inline(let bytes):
            bytes
        }
    }
}

/// Leaves downloaded bytes as they are: only their header is of interest.
private struct UndecodedProcessor: ImageProcessor {
    let identifier = "kingfisher.undecoded"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
        Image()
    }
}

/// Bytes whose header no codec understands.
struct UnreadableImage: Error {
    let bytes: Data
}

extension URL {
    static var currentFolder: URL {
        URL(filePath: ".".realPath ?? "/", directoryHint: .isDirectory)
    }
}
