public import Foundation
import KingfisherStorage

/// Computes the cache key of an image from its URL, if the caller has set no key.
///
///     let manager = KingfisherManager.forServers()
///     manager.cacheKeyRule = .presigned
///     let image = try await manager.retrieveImage(with: url).image
///     try await manager.cache.removeImage(forKey: manager.cacheKey(for: url))
///
/// Images with the same key are one image to all caches: a later request gets the image of an earlier one,
/// whether or not its own URL is valid. See ``KingfisherManager/cacheKeyRule``.
public struct CacheKeyRule: Sendable {
    private let key: @Sendable (URL) -> String

    /// Creates a rule that calls `key`, on any thread and for each request.
    ///
    /// The closure must return the same key for the same URL, and different keys for different images.
    public init(_ key: @escaping @Sendable (URL) -> String) {
        self.key = key
    }

    /// The key of the image at `url`.
    public func key(for url: URL) -> String { key(url) }

    /// A rule whose key is the URL without the query items that have these names.
    ///
    /// Names are percent-decoded before they are compared; letter case matters. The other items and their
    /// order, and the text of the URL besides, do not change. A query that becomes empty loses its `?`.
    public static func droppingQueryItems(named names: Set<String>) -> CacheKeyRule {
        let names = Set(names.map { Array($0.utf8) })
        return CacheKeyRule(query: { $0.text { !names.contains($0.name) } })
    }

    /// A rule whose key is the URL with those query items only that have these names.
    ///
    /// Names are compared, and the text is kept, as by ``droppingQueryItems(named:)``.
    public static func keepingQueryItems(named names: Set<String>) -> CacheKeyRule {
        let names = Set(names.map { Array($0.utf8) })
        return CacheKeyRule(query: { $0.text { names.contains($0.name) } })
    }

    /// A rule whose key is the URL without the signature of a presigned request: without the query items
    /// that state who signed it, when, for how long, and with which permissions.
    ///
    /// A query is presigned if it has all names of one of these rows:
    ///
    /// - Amazon S3, Signature Version 4: `X-Amz-Signature` (Amazon S3 API Reference, "Authenticating
    ///   Requests: Using Query Parameters (AWS Signature Version 4)").
    /// - Amazon S3, Signature Version 2: `AWSAccessKeyId`, `Signature`, `Expires` (Amazon S3 User Guide,
    ///   "Signing and authenticating REST requests").
    /// - Google Cloud Storage, V4: `X-Goog-Signature` ("Signed URLs").
    /// - Google Cloud Storage, V2: `GoogleAccessId`, `Signature`, `Expires` ("V2 signing process").
    /// - Azure Storage: `sig`, and `sv` or `se` ("Create a service SAS", "Create an account SAS", "Create a
    ///   user delegation SAS").
    /// - Amazon CloudFront: `Key-Pair-Id`, `Signature` ("Create a signed URL using a canned policy", "Create
    ///   a signed URL using a custom policy").
    ///
    /// Other items are part of the key, such as `versionId`, `response-content-type` and `w`. A URL that is
    /// not presigned does not change. Names are compared, and the text is kept, as by
    /// ``droppingQueryItems(named:)``.
    public static let presigned = CacheKeyRule(query: { query in
        let signature = PresignedQuery.fields(in: Set(query.items.map(\.name)))
        return query.text { !signature.contains($0.name) }
    })

    private init(query text: @escaping @Sendable (QueryItems) -> String) {
        self.init { url in
            let key = url.cacheKey
            guard !url.isLocal, let query = QueryItems(key) else { return key }
            return text(query)
        }
    }
}

extension Source {
    /// The source with the key that `rule` computes; nil if that is its key already, or if the rule does not
    /// apply: to providers, to file and data URLs, and to explicit keys.
    ///
    /// A resource whose key is the key of its URL has no explicit one. Therefore the rule does not apply to
    /// its own result.
    func keyed(by rule: CacheKeyRule) -> Source? {
        guard case .network(let resource) = self else { return nil }
        let (url, key) = (resource.downloadURL, resource.cacheKey)
        guard !url.isLocal, key.hasSameBytes(as: url.cacheKey) else { return nil }
        let newKey = rule.key(for: url)
        if newKey.hasSameBytes(as: key) { return nil }
        return .network(KF.ImageResource(downloadURL: url, cacheKey: newKey))
    }
}
