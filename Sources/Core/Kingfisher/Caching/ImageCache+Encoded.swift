public import Foundation
import KingfisherTransport

/// An encoded image in memory. See `ImageCache.encodedStorage`.
public struct EncodedImage: Sendable, CacheCostCalculable {
    /// The processed image, encoded by the cache serializer.
    public let data: Data
    let freshness: HTTPFreshness?
    let tags: [String]
    let entityTag = EntityTag()

    /// The number of bytes of the file.
    public var cacheCost: Int { data.count }
}

extension ImageCache {
    /// The default limit in bytes of a cache's `encodedStorage`.
    public static let defaultEncodedLimit = 64 << 20

    static func fileKey(_ computedKey: String, _ forcedExtension: String?) -> String {
        forcedExtension.map { "\(computedKey)\u{0}\($0)" } ?? computedKey
    }

    /// Stores a file in memory, unless the file of its key was changed or removed since `version`.
    ///
    /// - Parameter version: The version of the key before the file was encoded or read. The caller must have
    ///   registered the key with `traffic`.
    func storeEncoded(
        _ encoded: EncodedImage, forComputedKey key: String, options: KingfisherParsedOptionsInfo,
        ifVersionIs version: UInt64
    ) {
        let fileKey = Self.fileKey(key, options.forcedExtension)
        encodedStorage.store(value: encoded, forKey: fileKey, expiration: options.memoryCacheExpiration)
        if traffic.version(of: key) != version { encodedStorage.remove(forKey: fileKey) }
    }

    /// Reads the file of a processed image, on this thread, and stores it in memory. If the disk is read on
    /// the caller's thread, outside the key's queue, it is not stored, because it may be outdated.
    func readEncoded(forComputedKey key: String, options: KingfisherParsedOptionsInfo) -> EncodedImage? {
        let version = traffic.version(of: key)
        let entry = try? diskStorage.entry(
            forKey: key, forcedExtension: options.forcedExtension,
            extendingExpiration: options.diskCacheAccessExtendingExpiration)
        guard let entry, !options.isPartial(entry.payload) else { return nil }
        let encoded = EncodedImage(
            data: entry.payload, freshness: HTTPFreshness(entry.records), tags: entry.tags)
        if !options.readsDiskOnCallersThread {
            storeEncoded(encoded, forComputedKey: key, options: options, ifVersionIs: version)
        }
        return encoded
    }
}
