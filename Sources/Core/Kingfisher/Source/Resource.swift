public import Foundation

/// A downloadable image with a cache key.
public protocol Resource: Sendable {
    /// The key under which the image is cached.
    var cacheKey: String { get }
    /// The URL of the image.
    var downloadURL: URL { get }
}

extension Resource {
    /// Returns a source of this resource: a data provider for a file or data URL, otherwise a download.
    ///
    /// An explicit cache key of the resource, or `overrideCacheKey`, applies in both cases.
    public func convertToSource(overrideCacheKey: String? = nil) -> Source {
        let url = downloadURL
        let text = url.absoluteString
        let scheme = text.localScheme
        // The key of a URL is its text, which is already available.
        let key = overrideCacheKey ?? (Self.self == URL.self && scheme == nil ? text : cacheKey)
        return switch scheme {
        case .file: .provider(LocalFileImageDataProvider(resource: url, cacheKey: key))
        case .data: .provider(DataURLImageDataProvider(resource: url, cacheKey: key))
        case nil: .network(KF.ImageResource(downloadURL: url, cacheKey: key))
        }
    }
}

/// The usual name of `KF.ImageResource`.
public typealias ImageResource = KF.ImageResource

extension KF {
    /// A URL with a cache key.
    public struct ImageResource: Resource {
        public let cacheKey: String
        public let downloadURL: URL

        /// Creates a resource with `cacheKey`, by default the key of the URL.
        public init(downloadURL: URL, cacheKey: String? = nil) {
            self.downloadURL = downloadURL
            self.cacheKey = cacheKey ?? downloadURL.cacheKey
        }
    }
}

extension URL: Resource {
    /// The absolute string, including query and fragment; for a file, a key derived from its path; for a data
    /// URL of more than 1 KiB, `data:` and its SHA-256 digest.
    public var cacheKey: String {
        let text = absoluteString
        return switch text.localScheme {
        case .file: localFileCacheKey
        case .data: DataURLImageDataProvider.key(of: text)
        case nil: text
        }
    }

    public var downloadURL: URL { self }

    /// Whether it is a file or data URL, which is not downloaded.
    var isLocal: Bool { absoluteString.localScheme != nil }
}

/// A scheme of URLs that are not downloaded.
private enum LocalScheme {
    case file, data
}

extension String {
    /// The scheme of a URL's text, ignoring case (RFC 3986, 3.1). Called for every request; Foundation's
    /// `isFileURL` creates two strings for each call.
    fileprivate var localScheme: LocalScheme? {
        switch utf8.first.map({ $0 | 0x20 }) {
        case UInt8(ascii: "f"): hasScheme("file:") ? .file : nil
        case UInt8(ascii: "d"): hasScheme("data:") ? .data : nil
        default: nil
        }
    }

    private func hasScheme(_ scheme: StaticString) -> Bool {
        scheme.withUTF8Buffer { scheme in
            var bytes = utf8.makeIterator()
            return scheme.allSatisfy { byte in bytes.next().map { $0 | 0x20 == byte | 0x20 } ?? false }
        }
    }
}

extension URL {
    /// A cache key for a file that does not change if its bundle moves.
    ///
    /// The path components from the last one named `*.app` or `*.appex`, or otherwise all of them (including
    /// the root), joined by "/" after `kingfisher.local.cacheKey`, then the query.
    var localFileCacheKey: String {
        let components = pathComponents
        let bundle = components.lastIndex { $0.hasSuffix(".app") || $0.hasSuffix(".appex") }
        let kept = components[(bundle ?? components.startIndex)...]
        let key = "kingfisher.local.cacheKey/" + kept.joined(separator: "/")
        return query.map { "\(key)?\($0)" } ?? key
    }
}
