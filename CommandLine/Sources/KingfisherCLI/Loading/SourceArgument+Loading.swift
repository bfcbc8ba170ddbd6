import Foundation
import Glibc
import Kingfisher
import KingfisherVideo

extension SourceArgument {
    /// The library's source for this argument.
    ///
    /// The cache key of a file contains its size and modification time, so that a changed file is loaded
    /// again.
    ///
    /// - Parameter prepare: Sets how frames of videos are read.
    func source(frames prepare: (inout VideoFrameGenerator) -> Void = { _ in }) -> Source {
        switch self {
        case .remote(let url):
            .network(KF.ImageResource(downloadURL: url))
        case .file(let url):
            .provider(InputFile(url: url, cacheKey: Self.key(ofFile: url)))
        case .frame(let url, let seconds):
            .provider(VideoFrame(url, at: seconds, prepare))
        case .standardInput:
            .provider(StandardInput())
        case .inline(let bytes):
            .provider(RawImageDataProvider(data: bytes, cacheKey: "data:\(bytes.base64EncodedString())"))
        }
    }

    static func key(ofFile url: URL) -> String {
        let status = url.path.fileStatus ?? stat()
        let changed = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) * 1e-9
        return "\(url.absoluteString)?size=\(status.st_size)&changed=\(changed)"
    }
}

/// A frame of a video. The key of a file's frame changes with the file.
struct VideoFrame: ImageDataProvider {
    let cacheKey: String
    private let provider: AVAssetImageDataProvider

    init(_ url: URL, at seconds: TimeInterval, _ prepare: (inout VideoFrameGenerator) -> Void) {
        var generator = VideoFrameGenerator(asset: url)
        prepare(&generator)
        provider = AVAssetImageDataProvider(assetImageGenerator: generator, time: seconds)
        cacheKey = url.isFileURL ? "\(SourceArgument.key(ofFile: url))&frame=\(seconds)" : provider.cacheKey
    }

    func data() async throws -> Data { try await provider.data() }
}

extension VideoFrameGenerator {
    /// Requests parts of videos through `downloader`, with the header fields of `options`.
    mutating func send(through downloader: ImageDownloader, _ options: KingfisherOptionsInfo) {
        self.downloader = downloader
        let modifier = KingfisherParsedOptionsInfo(options).requestModifier
        requestModifier = modifier as? any ImageDownloadRequestModifier
    }
}
