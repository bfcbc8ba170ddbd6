public import Foundation
public import KingfisherImage

/// The file of an image and where it came from.
public struct RetrieveDataResult: Sendable {
    /// The processed image, encoded by the cache serializer.
    public let data: Data
    /// The image; nil if the file came from a cache and was not decoded.
    public let image: KFCrossPlatformImage?
    /// The cache that the file, or the image it was encoded from, came from; `.none` if the image was loaded
    /// for this request.
    public let cacheType: CacheType
    /// The source it came from: the requested one, or an alternative.
    public let source: Source
    /// The requested source.
    public let originalSource: Source
    /// The timing of the download; nil if nothing was downloaded.
    public let metrics: NetworkMetrics?
    /// The freshness of the source's response; nil if it is not known, because the image was stored without
    /// `.httpCaching` or does not come from a server.
    public let freshness: SourceFreshness?
    private let tag: EntityTag

    /// Makes a result, for tests and other loaders.
    public init(
        data: Data, image: KFCrossPlatformImage? = nil, cacheType: CacheType, source: Source,
        originalSource: Source, metrics: NetworkMetrics? = nil, freshness: SourceFreshness? = nil
    ) {
        self.init(
            data: data, tag: EntityTag(), image: image, cacheType: cacheType, source: source,
            originalSource: originalSource, metrics: metrics, freshness: freshness)
    }

    init(
        data: Data, tag: EntityTag, image: KFCrossPlatformImage?, cacheType: CacheType, source: Source,
        originalSource: Source, metrics: NetworkMetrics?, freshness: SourceFreshness?
    ) {
        self.tag = tag
        self.freshness = freshness
        self.data = data
        self.image = image
        self.cacheType = cacheType
        self.source = source
        self.originalSource = originalSource
        self.metrics = metrics
    }

    /// A strong HTTP entity tag with its quotation marks, made of length and checksum. Equal files have equal
    /// tags, on all machines and as ``CachedImageFile/entityTag``. Computed once for a file in memory.
    public var entityTag: String { tag.text(of: data) }

    /// The format of the file; `.unknown` if no registered codec reads it.
    public var format: ImageFormat { data.kf.imageFormat }

    /// The media type to serve the file with, such as `image/jpeg`; nil if no registered codec reads it.
    ///
    /// It is `application/octet-stream` for an SVG: a browser that opens the URL of a file with
    /// `image/svg+xml` runs the scripts in it, with the rights of your site.
    public var mediaType: String? { mediaType(allowingScripts: false) }

    /// The media type of the file, also if browsers run scripts in it; for files that you trust, or with a
    /// `Content-Security-Policy` that forbids scripts.
    public func mediaType(allowingScripts: Bool) -> String? {
        ServedMediaType.of(ImageCodecs.codec(for: format), allowsScripts: allowingScripts)
    }
}
