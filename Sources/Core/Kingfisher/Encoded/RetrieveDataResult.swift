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

    /// Makes a result, for tests and other loaders.
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

    /// The format of the file; `.unknown` if no registered codec reads it.
    public var format: ImageFormat { data.kf.imageFormat }

    /// The media type of the file, such as `image/jpeg`; nil if no registered codec reads it.
    public var mediaType: String? { ImageCodecs.codec(for: format)?.mediaType }
}
