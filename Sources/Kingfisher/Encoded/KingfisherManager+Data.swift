import Foundation

extension KingfisherManager {
    /// Fetches the file of an image: what the cache serializer makes of the processed image, as the disk
    /// cache keeps it.
    ///
    /// The file comes from memory (`ImageCache.encodedStorage`), from disk, or is made once for all who want
    /// it at the same time; it is decoded only where it has to be made. Memory keeps the file in place of the
    /// pixels. Caches, freshness, alternatives and retries are those of `retrieveImage`; an image modifier is
    /// not applied. A cache has one file for a key, a processor and a `forcedCacheFileExtension`; a program
    /// that wants the same image in several formats gives each format another extension.
    ///
    /// The completion runs exactly once, on the options' callback queue (the main queue by default); progress
    /// on the main queue. Returns nil when the file was in memory, and otherwise a task that cancels the
    /// request. Fails as `retrieveImage` does, and with
    /// `KingfisherError.CacheErrorReason.cannotSerializeImage` when the serializer makes no file.
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

    /// Fetches the file of a resource's image; see the variant for a source.
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

    /// Fetches the file of an image. Never waits for the main queue.
    ///
    /// Throws `KingfisherError`, or `CancellationError` when the surrounding task is cancelled already.
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

    /// Fetches the file of a resource's image. Never waits for the main queue.
    ///
    /// Throws `KingfisherError`, or `CancellationError` when the surrounding task is cancelled already.
    public func retrieveData(
        with resource: any Resource, options: KingfisherOptionsInfo? = nil,
        progressBlock: SendableProgressBlock? = nil
    ) async throws -> RetrieveDataResult {
        try await retrieveData(
            with: resource.convertToSource(), options: options, progressBlock: progressBlock)
    }
}
