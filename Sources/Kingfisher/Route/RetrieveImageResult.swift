public import Foundation

/// An image and where it came from.
public struct RetrieveImageResult: Sendable {
    /// The image, after the image modifier.
    public let image: KFCrossPlatformImage
    /// The cache it came from; `.none` when it was downloaded, supplied or processed anew.
    public let cacheType: CacheType
    /// The source it came from; an alternative one where others failed.
    public let source: Source
    /// The source that was asked for.
    public let originalSource: Source
    /// The downloaded bytes of a fresh image, or the serializer's encoding of one from a cache. Computed at
    /// each call.
    public let data: @Sendable () -> Data?
    /// What the download took; nil when there was none.
    public let metrics: NetworkMetrics?

    /// Puts a result together, for tests and other loaders.
    public init(
        image: KFCrossPlatformImage, cacheType: CacheType, source: Source, originalSource: Source,
        data: @escaping @Sendable () -> Data?, metrics: NetworkMetrics? = nil
    ) {
        self.image = image
        self.cacheType = cacheType
        self.source = source
        self.originalSource = originalSource
        self.data = data
        self.metrics = metrics
    }
}

extension RetrieveImageResult {
    /// An image that a cache had.
    static func cached(
        _ image: KFCrossPlatformImage, _ type: CacheType, _ source: Source, for originalSource: Source,
        _ options: KingfisherParsedOptionsInfo
    ) -> RetrieveImageResult {
        RetrieveImageResult(
            image: image, cacheType: type, source: source, originalSource: originalSource,
            // The bytes of the original would show another image.
            data: options.encoding(of: image))
    }

    fileprivate func modified(by modifier: any ImageModifier) -> RetrieveImageResult {
        RetrieveImageResult(
            image: modifier.modify(image), cacheType: cacheType, source: source,
            originalSource: originalSource, data: data, metrics: metrics)
    }
}

extension KingfisherParsedOptionsInfo {
    /// Reports how a request ended: on its callback queue, with its image modifier applied.
    func report(
        _ outcome: Result<RetrieveImageResult, KingfisherError>,
        to completion: @escaping @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
    ) {
        // The way of a hit in memory: neither a closure nor a copy.
        if case .none = delivery.imageModifier, delivery.callbackQueue.isImmediate {
            return completion(outcome)
        }
        callbackQueue.execute { [imageModifier] in
            completion(outcome.map { result in imageModifier.map { result.modified(by: $0) } ?? result })
        }
    }
}
