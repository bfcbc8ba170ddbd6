import Foundation

extension KingfisherManager {
    /// Loads the files of a live photo into the disk cache and returns their locations. Never waits for the
    /// main queue.
    ///
    /// Missing files, or all files with `forceRefresh`, are loaded concurrently and stored unmodified. If one
    /// fails, those already loaded stay in the cache, and the first error is thrown. Files are not decoded
    /// and not stored in memory. Options about decoding, processing, memory and other sources have no effect.
    ///
    /// Throws `KingfisherError`: `livePhotoTaskCancelled` if the surrounding task is cancelled, at any time.
    ///
    /// - Parameters:
    ///   - progressBlock: Called on the main queue with the sum over all files that are downloaded and whose
    ///     lengths are known.
    ///   - referenceTaskIdentifierChecker: Returns whether the load is still needed; if not, no progress is
    ///     reported.
    public func retrieveLivePhoto(
        with source: LivePhotoSource, options: KingfisherOptionsInfo? = nil,
        progressBlock: SendableProgressBlock? = nil,
        referenceTaskIdentifierChecker: (@Sendable () -> Bool)? = nil
    ) async throws -> LivePhotoLoadingInfoResult {
        let source = LivePhotoSource(source.resources.map { $0.with(keyed($0.dataSource)) })
        let options = parsedOptions(options)
        let progress = progressBlock.map {
            LivePhotoProgress($0, isCurrent: referenceTaskIdentifierChecker ?? { true })
        }
        let downloader = options.downloader ?? downloader
        let retrieval = LivePhotoRetrieval(
            options: options, cache: options.targetCache ?? cache, downloader: downloader,
            readsFileURLs: readsFileURLs(through: downloader), admission: admission, progress: progress)
        do {
            try Task.checkCancellation()
            let missing = await retrieval.missingResources(of: source)
            let loaded = try await retrieval.downloadAndCache(missing)
            let files = try await retrieval.files(of: source)
            return LivePhotoLoadingInfoResult(
                fileURLs: files, cacheType: missing.isEmpty ? .disk : .none, source: source,
                originalSource: source, data: { loaded })
        } catch {
            guard Task.isCancelled else { throw error }
            throw KingfisherError.requestError(reason: .livePhotoTaskCancelled(source: source))
        }
    }
}
