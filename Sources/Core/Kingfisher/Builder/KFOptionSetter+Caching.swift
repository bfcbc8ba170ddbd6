public import Foundation
public import KingfisherImage

extension KFOptionSetter {
    /// Reads and writes `cache` instead of the manager's.
    public func targetCache(_ cache: ImageCache) -> Self {
        setting(\.targetCache, to: cache)
    }

    /// Stores unprocessed originals in `cache` instead of the target cache.
    public func originalCache(_ cache: ImageCache) -> Self {
        setting(\.originalCache, to: cache)
    }

    /// Does not read the caches, but writes them.
    public func forceRefresh(_ enabled: Bool = true) -> Self {
        setting(\.forceRefresh, to: enabled)
    }

    /// Reads the image from memory or fetches it; does not read the disk.
    public func fromMemoryCacheOrRefresh(_ enabled: Bool = true) -> Self {
        setting(\.fromMemoryCacheOrRefresh, to: enabled)
    }

    /// Reads only the caches; never fetches.
    public func onlyFromCache(_ enabled: Bool = true) -> Self {
        setting(\.onlyFromCache, to: enabled)
    }

    /// Writes to memory only.
    public func cacheMemoryOnly(_ enabled: Bool = true) -> Self {
        setting(\.cacheMemoryOnly, to: enabled)
    }

    /// Completes only after the image is on disk.
    public func waitForCache(_ enabled: Bool = true) -> Self {
        setting(\.waitForCache, to: enabled)
    }

    /// Also stores the unprocessed bytes on disk if a processor is set.
    public func cacheOriginalImage(_ enabled: Bool = true) -> Self {
        setting(\.cacheOriginalImage, to: enabled)
    }

    /// Sets how the disk entry is written; `.withoutOverwriting` does not replace an existing entry.
    public func diskStoreWriteOptions(_ options: Data.WritingOptions) -> Self {
        setting(\.diskStoreWriteOptions, to: options)
    }

    /// Reads the disk synchronously on the caller's thread.
    public func loadDiskFileSynchronously(_ enabled: Bool = true) -> Self {
        setting(\.loadDiskFileSynchronously, to: enabled)
    }

    /// Follows the cache headers of servers; see `KingfisherOptionsInfoItem.httpCaching`.
    public func httpCaching(_ enabled: Bool = true) -> Self {
        setting(\.httpCaching, to: enabled)
    }

    /// Sets how long images are fresh regardless of the headers of their server; see
    /// `KingfisherOptionsInfoItem.httpFreshnessBounds`.
    public func httpFreshnessBounds(_ bounds: HTTPFreshnessBounds) -> Self {
        setting(\.httpFreshnessBounds, to: bounds)
    }

    /// Uses cached images of local files without comparing the file's version; see
    /// `KingfisherOptionsInfoItem.trustsLocalFiles`.
    public func trustsLocalFiles(_ enabled: Bool = true) -> Self {
        setting(\.trustsLocalFiles, to: enabled)
    }

    /// Remembers downloads that found no image, or none if `caching` is nil; see
    /// `KingfisherOptionsInfoItem.negativeCaching`.
    public func negativeCaching(_ caching: NegativeCaching? = NegativeCaching()) -> Self {
        setting(\.negativeCaching, to: caching)
    }

    /// Sets tags by which stored entries can be removed; see `KingfisherOptionsInfoItem.tags`.
    public func tags(_ tags: [String]) -> Self {
        setting(\.tags, to: tags)
    }

    /// Decodes and serializes with the formats, limits and strategy of `context`; nil removes the option. See
    /// `KingfisherOptionsInfoItem.decodingContext`.
    public func decodingContext(_ context: DecodingContext?) -> Self {
        setting(\.decodingContext, to: context)
    }

    /// Serializes images for the disk cache with `serializer`.
    public func serialize(by serializer: any CacheSerializer) -> Self {
        setting(\.cacheSerializer, to: serializer)
    }

    /// Stores the image on disk as `format`; `.unknown` means the format of the download.
    ///
    /// `jpegCompressionQuality` is 0...1, by default 1; other formats ignore it.
    public func serialize(as format: ImageFormat, jpegCompressionQuality: CGFloat? = nil) -> Self {
        switch format {
        case .unknown: serialize(by: DefaultCacheSerializer.default)
        case .JPEG:
            serialize(
                by: FormatIndicatedCacheSerializer.jpeg(compressionQuality: jpegCompressionQuality ?? 1))
        default:
            serialize(by: FormatIndicatedCacheSerializer(imageFormat: format))
        }
    }

    /// Stores the image on disk as `format`, encoded with `options`.
    public func serialize(as format: ImageFormat, options: ImageEncodingOptions) -> Self {
        serialize(by: FormatIndicatedCacheSerializer(imageFormat: format, options: options))
    }
}
