import Foundation
import Glibc
import Kingfisher

extension SourceArgument {
    /// The library's source for this argument.
    ///
    /// The cache key of a file contains its size and modification time, so that a changed file is loaded
    /// again.
    var source: Source {
        switch self {
        case .remote(let url):
            .network(KF.ImageResource(downloadURL: url))
        case .file(let url):
            .provider(InputFile(url: url, cacheKey: Self.key(ofFile: url)))
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
