public import Foundation

/// An image and where it came from.
public struct RetrieveImageResult: Sendable {
    /// The image, after the image modifier.
    public let image: KFCrossPlatformImage
    /// The cache it came from; `.none` if it was downloaded, loaded from a provider, or processed for this
    /// request.
    public let cacheType: CacheType
    /// The source it came from: the requested one, or an alternative.
    public let source: Source
    /// The requested source.
    public let originalSource: Source
    /// The downloaded bytes of a new image, or the serializer's encoding of a cached one. Each call computes
    /// them.
    public let data: @Sendable () -> Data?
    /// The timing of the download; nil if nothing was downloaded.
    public let metrics: NetworkMetrics?

    /// Makes a result, for tests and other loaders.
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
    static func cached(
        _ image: KFCrossPlatformImage, _ type: CacheType, _ source: Source, for originalSource: Source,
        _ options: KingfisherParsedOptionsInfo
    ) -> RetrieveImageResult {
        RetrieveImageResult(
            image: image, cacheType: type, source: source, originalSource: originalSource,
            // Not the original's bytes, which may show a different image.
            data: options.encoding(of: image))
    }

    fileprivate func modified(by modifier: any ImageModifier) -> RetrieveImageResult {
        RetrieveImageResult(
            image: modifier.modify(image), cacheType: cacheType, source: source,
            originalSource: originalSource, data: data, metrics: metrics)
    }
}

extension RetrieveImageResult {
    /// Notes in the memory cache that a view shows the image.
    func noteDisplay(with options: KingfisherParsedOptionsInfo) {
        // Memory has the image without the modifier.
        guard options.imageModifier == nil else { return }
        let cache = options.targetCache ?? (options.manager ?? .shared).cache
        cache.memoryStorage.noteDisplay(
            of: image, forKey: source.cacheKey.computedKey(with: options.processor.identifier),
            expiration: options.memoryCacheExpiration)
    }
}

extension KingfisherParsedOptionsInfo {
    func report(
        _ outcome: Result<RetrieveImageResult, KingfisherError>,
        to completion: @escaping @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
    ) {
        let modifier = values.imageModifier
        // The common case of a memory hit allocates nothing.
        if modifier == nil, values.callbackQueue.isImmediate { return completion(outcome) }
        self.callbackQueue.execute {
            completion(outcome.map { result in modifier.map { result.modified(by: $0) } ?? result })
        }
    }
}
