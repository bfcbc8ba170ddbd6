public import Foundation
public import KingfisherImage

extension KFOptionSetter {
    /// Reads and writes `cache` instead of the manager's.
    public func targetCache(_ cache: ImageCache) -> Self {
        setting(\.targetCache, to: cache)
    }

    /// Keeps unprocessed originals in `cache` instead of the target cache.
    public func originalCache(_ cache: ImageCache) -> Self {
        setting(\.originalCache, to: cache)
    }

    /// Ignores caches when reading; still writes them.
    public func forceRefresh(_ enabled: Bool = true) -> Self {
        setting(\.forceRefresh, to: enabled)
    }

    /// Takes the image from memory, or fetches it; the disk is not read.
    public func fromMemoryCacheOrRefresh(_ enabled: Bool = true) -> Self {
        setting(\.fromMemoryCacheOrRefresh, to: enabled)
    }

    /// Never fetches what no cache has.
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

    /// Keeps the unprocessed bytes on disk, too, where a processor is set.
    public func cacheOriginalImage(_ enabled: Bool = true) -> Self {
        setting(\.cacheOriginalImage, to: enabled)
    }

    /// How the disk entry is written; `.withoutOverwriting` keeps an entry that is already there.
    public func diskStoreWriteOptions(_ options: Data.WritingOptions) -> Self {
        setting(\.diskStoreWriteOptions, to: options)
    }

    /// Reads the disk on the caller's thread, before the load's call returns.
    public func loadDiskFileSynchronously(_ enabled: Bool = true) -> Self {
        setting(\.loadDiskFileSynchronously, to: enabled)
    }

    /// Keeps images as long as their servers say; see `KingfisherOptionsInfoItem.httpCaching`.
    public func httpCaching(_ enabled: Bool = true) -> Self {
        setting(\.httpCaching, to: enabled)
    }

    /// Names by which what is stored can be removed; see `KingfisherOptionsInfoItem.tags`.
    public func tags(_ tags: [String]) -> Self {
        setting(\.tags, to: tags)
    }

    /// Decodes and serializes by the formats, limits and strategy of `context`; nil takes the option back.
    /// See `KingfisherOptionsInfoItem.decodingContext`.
    public func decodingContext(_ context: DecodingContext?) -> Self {
        setting(\.decodingContext, to: context)
    }

    /// Turns the image into bytes for the disk, and back, by `serializer`.
    public func serialize(by serializer: any CacheSerializer) -> Self {
        setting(\.cacheSerializer, to: serializer)
    }

    /// Keeps the image on disk as `format`; an unknown one means the format it was fetched in.
    ///
    /// `jpegCompressionQuality` is 0...1, 1 when nil, and means nothing to other formats.
    public func serialize(as format: ImageFormat, jpegCompressionQuality: CGFloat? = nil) -> Self {
        switch format {
        case .unknown: serialize(by: DefaultCacheSerializer.default)
        case .JPEG:
            serialize(
                by: FormatIndicatedCacheSerializer.jpeg(compressionQuality: jpegCompressionQuality ?? 1))
        default:
            serialize(by: FormatIndicatedCacheSerializer(imageFormat: format, jpegCompressionQuality: nil))
        }
    }
}
