public import Foundation

/// Something downloadable with a key of its own in the cache.
public protocol Resource: Sendable {
    /// The key under which the image is cached.
    var cacheKey: String { get }
    /// Where the image is.
    var downloadURL: URL { get }
}

extension Resource {
    /// A source over this resource: a provider for a file URL, the network for any other.
    ///
    /// An explicit cache key of the resource, or `overrideCacheKey`, is kept either way.
    public func convertToSource(overrideCacheKey: String? = nil) -> Source {
        let url = downloadURL
        let text = url.absoluteString
        let isFile = text.hasFileScheme
        // A URL's own key is its text, which need not be made twice.
        let key = overrideCacheKey ?? (Self.self == URL.self && !isFile ? text : cacheKey)
        if isFile {
            return .provider(LocalFileImageDataProvider(resource: url, cacheKey: key))
        }
        return .network(KF.ImageResource(downloadURL: url, cacheKey: key))
    }
}

/// The name that users' code writes for `KF.ImageResource`.
public typealias ImageResource = KF.ImageResource

extension KF {
    /// A URL together with a cache key.
    public struct ImageResource: Resource {
        public let cacheKey: String
        public let downloadURL: URL

        /// Pairs `downloadURL` with `cacheKey`, or with the URL's own key.
        public init(downloadURL: URL, cacheKey: String? = nil) {
            self.downloadURL = downloadURL
            self.cacheKey = cacheKey ?? downloadURL.cacheKey
        }
    }
}

extension URL: Resource {
    /// `localFileCacheKey` for a file, the absolute string (query and fragment included) otherwise.
    public var cacheKey: String {
        let text = absoluteString
        return text.hasFileScheme ? localFileCacheKey : text
    }

    public var downloadURL: URL { self }
}

extension String {
    /// Whether a URL's text begins with `file:`, in any case (RFC 3986, 3.1). Every request asks this, and
    /// Foundation's `isFileURL` makes two strings to answer.
    fileprivate var hasFileScheme: Bool {
        guard let first = utf8.first, first | 0x20 == UInt8(ascii: "f") else { return false }
        let scheme: StaticString = "file:"
        return scheme.withUTF8Buffer { scheme in
            var bytes = utf8.makeIterator()
            return scheme.allSatisfy { byte in bytes.next().map { $0 | 0x20 == byte | 0x20 } ?? false }
        }
    }
}

extension URL {
    /// A key for a file that does not change when a bundle around it moves.
    ///
    /// Path components from the last one named `*.app` or `*.appex` on, or all of them (the root included),
    /// joined by "/" behind `kingfisher.local.cacheKey`, then the query.
    var localFileCacheKey: String {
        let components = pathComponents
        let bundle = components.lastIndex { $0.hasSuffix(".app") || $0.hasSuffix(".appex") }
        let kept = components[(bundle ?? components.startIndex)...]
        let key = "kingfisher.local.cacheKey/" + kept.joined(separator: "/")
        return query.map { "\(key)?\($0)" } ?? key
    }
}
