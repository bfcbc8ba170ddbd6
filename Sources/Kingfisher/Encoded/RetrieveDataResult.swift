public import Foundation
public import KingfisherImage

/// The file of an image and where it came from.
public struct RetrieveDataResult: Sendable {
    /// What the cache serializer made of the processed image.
    public let data: Data
    /// The image; nil where the file came from a cache and was not decoded.
    public let image: KFCrossPlatformImage?
    /// The cache that the file, or the image that it was made of, came from; `.none` for one that was made
    /// for this request.
    public let cacheType: CacheType
    /// The source it came from; an alternative one where others failed.
    public let source: Source
    /// The source that was asked for.
    public let originalSource: Source
    /// What the download took; nil when there was none.
    public let metrics: NetworkMetrics?

    /// Puts a result together, for tests and other loaders.
    public init(
        data: Data, image: KFCrossPlatformImage? = nil, cacheType: CacheType, source: Source,
        originalSource: Source, metrics: NetworkMetrics? = nil
    ) {
        self.data = data
        self.image = image
        self.cacheType = cacheType
        self.source = source
        self.originalSource = originalSource
        self.metrics = metrics
    }

    /// The format of the file; `.unknown` where no registered codec reads it.
    public var format: ImageFormat { data.kf.imageFormat }

    /// The media type of the file, such as `image/jpeg`; nil where no registered codec reads it.
    public var mediaType: String? { ImageCodecs.codec(for: format)?.mediaType }
}
