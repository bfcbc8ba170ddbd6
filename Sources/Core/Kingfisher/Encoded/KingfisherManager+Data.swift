import Foundation

extension KingfisherManager {
    /// Loads the file of an image: the processed image as the cache serializer encodes it for the disk cache.
    ///
    /// The file comes from memory (`ImageCache.encodedStorage`) or from disk. Otherwise the image is loaded,
    /// processed and encoded, once for all concurrent requests. A cached file is not decoded. Memory then
    /// holds the file instead of the pixels. Caches, freshness, alternatives and retries work as in
    /// `retrieveImage`; an image modifier is not applied. A cache has one file for each combination of key,
    /// processor and `forcedCacheFileExtension`. To store an image in several formats, use a different
    /// extension for each format.
    ///
    /// The completion handler runs exactly once, on the options' callback queue (by default the main queue).
    /// The progress block runs on the main queue. Returns nil if the file was in memory, otherwise a task
    /// that cancels the request. Fails as `retrieveImage` does, and with
    /// `KingfisherError.CacheErrorReason.cannotSerializeImage` if the serializer returns no data.
    @discardableResult
    public func retrieveData(
        with source: Source, options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: @escaping @Sendable (Result<RetrieveDataResult, KingfisherError>) -> Void
    ) -> DownloadTask? {
        DataRetrieval(source, parsedOptions(options), self, completionHandler).start(
            .init(
                progressBlock: ProgressRelay.carried(progressBlock),
                downloadTaskUpdated: downloadTaskUpdated))
    }

    /// Loads the file of a resource's image. See the method for a source.
    @discardableResult
    public func retrieveData(
        with resource: any Resource, options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: @escaping @Sendable (Result<RetrieveDataResult, KingfisherError>) -> Void
    ) -> DownloadTask? {
        retrieveData(
            with: resource.convertToSource(), options: options, progressBlock: progressBlock,
            downloadTaskUpdated: downloadTaskUpdated, completionHandler: completionHandler)
    }

    /// Loads the file of an image. Never waits for the main queue.
    ///
    /// Throws `KingfisherError`, or `CancellationError` if the current task is cancelled already.
    public func retrieveData(
        with source: Source, options: KingfisherOptionsInfo? = nil,
        progressBlock: SendableProgressBlock? = nil
    ) async throws -> RetrieveDataResult {
        var options = parsedOptions(options)
        options.callbackQueue = .untouch
        let unqueued = options
        return try await cancellable { completion in
            DataRetrieval(source, unqueued, self, completion).start(
                .init(progressBlock: progressBlock, downloadTaskUpdated: nil))
        }
    }

    /// Loads the file of a resource's image. Never waits for the main queue.
    ///
    /// Throws `KingfisherError`, or `CancellationError` if the current task is cancelled already.
    public func retrieveData(
        with resource: any Resource, options: KingfisherOptionsInfo? = nil,
        progressBlock: SendableProgressBlock? = nil
    ) async throws -> RetrieveDataResult {
        try await retrieveData(
            with: resource.convertToSource(), options: options, progressBlock: progressBlock)
    }

    /// The file that `retrieveData` would deliver from memory (`ImageCache.encodedStorage`) or from disk; nil
    /// if it would load the image, or ask its source. Loads nothing, reports no event unless there is a file,
    /// and never waits for the main queue.
    public func cachedData(
        with source: Source, options: KingfisherOptionsInfo? = nil
    ) async -> RetrieveDataResult? {
        var options = parsedOptions(options)
        options.callbackQueue = .untouch
        let parsed = options
        return await withCheckedContinuation { continuation in
            let retrieval = DataRetrieval(source, parsed, self) {
                continuation.resume(returning: try? $0.get())
            }
            _ = retrieval.start(nil)
        }
    }
}
