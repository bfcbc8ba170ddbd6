import Foundation
import Kingfisher

extension SourceArgument {
    /// The library's source for this argument.
    ///
    /// A file's key holds its size and time of change, so that a changed one is never
    /// answered from the cache.
    var source: Source {
        switch self {
        case .remote(let url):
            .network(KF.ImageResource(downloadURL: url))
        case .file(let url):
            .provider(LocalFileImageDataProvider(fileURL: url, cacheKey: Self.key(ofFile: url)))
        case .inline(let bytes):
            .provider(RawImageDataProvider(data: bytes, cacheKey: "data:\(bytes.base64EncodedString())"))
        }
    }

    private static func key(ofFile url: URL) -> String {
        let attributes = (try? FileManager.default.attributesOfItem(atPath: url.path)) ?? [:]
        let size = attributes[.size] as? Int ?? 0
        let changed = attributes[.modificationDate] as? Date ?? .distantPast
        return "\(url.absoluteString)?size=\(size)&changed=\(changed.timeIntervalSince1970)"
    }
}
