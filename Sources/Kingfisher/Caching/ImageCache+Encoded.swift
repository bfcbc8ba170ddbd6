public import Foundation
import KingfisherTransport

/// The file of an image in memory; see `ImageCache.encodedStorage`.
public struct EncodedImage: Sendable, CacheCostCalculable {
    /// What the cache serializer made of the processed image.
    public let data: Data
    let freshness: HTTPFreshness?
    let tags: [String]

    /// Bytes of the file.
    public var cacheCost: Int { data.count }
}

extension ImageCache {
    /// Bytes of encoded images that a cache keeps in memory unless its `encodedStorage.config` says
    /// otherwise.
    public static let defaultEncodedLimit = 64 << 20

    /// What `encodedStorage` and the disk know the file of an image by.
    static func fileKey(_ computedKey: String, _ forcedExtension: String?) -> String {
        forcedExtension.map { "\(computedKey)\u{0}\($0)" } ?? computedKey
    }

    /// Keeps a file in memory, unless another image is stored under its key, or this one is removed,
    /// meanwhile.
    ///
    /// - Parameter version: What the traffic counted when the file was begun to be made or read; the caller
    ///   visits the key.
    func keepEncoded(
        _ encoded: EncodedImage, forComputedKey key: String, options: KingfisherParsedOptionsInfo,
        ifVersionIs version: UInt64
    ) {
        let fileKey = Self.fileKey(key, options.forcedExtension)
        encodedStorage.store(value: encoded, forKey: fileKey, expiration: options.memoryCacheExpiration)
        if traffic.version(of: key) != version { encodedStorage.remove(forKey: fileKey) }
    }

    /// Reads a file that holds the processed image, on this thread, and keeps it in memory unless the disk is
    /// read on the caller's thread: what changes the file purges memory in the order of the key.
    func readEncoded(forComputedKey key: String, options: KingfisherParsedOptionsInfo) -> EncodedImage? {
        let version = traffic.version(of: key)
        let entry = try? diskStorage.entry(
            forKey: key, forcedExtension: options.forcedExtension,
            extendingExpiration: options.diskCacheAccessExtendingExpiration)
        guard let entry, !options.isPartial(entry.payload) else { return nil }
        let encoded = EncodedImage(
            data: entry.payload, freshness: HTTPFreshness(entry.records), tags: entry.tags)
        if !options.readsDiskOnCallersThread {
            keepEncoded(encoded, forComputedKey: key, options: options, ifVersionIs: version)
        }
        return encoded
    }
}
