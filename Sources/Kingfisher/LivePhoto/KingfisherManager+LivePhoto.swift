import Foundation

extension KingfisherManager {
    /// Brings the files of a live photo to disk and tells where they are. Never waits for the main queue.
    ///
    /// Files that are missing, or all of them with `forceRefresh`, are loaded at the same time and kept as
    /// they come; those that arrived stay in the cache when another fails. The first failure is thrown.
    /// Nothing is decoded, and nothing goes to memory. Of the options, those about decoding, processing,
    /// memory and other sources mean nothing here.
    ///
    /// Throws `KingfisherError`: `livePhotoTaskCancelled` when the surrounding task is cancelled, at any
    /// time.
    ///
    /// - Parameters:
    ///   - progressBlock: Hears on the main queue of all files that are downloaded, added up as
    ///     far as their lengths are known.
    ///   - referenceTaskIdentifierChecker: Whether somebody still waits; without that no
    ///     progress is reported.
    public func retrieveLivePhoto(
        with source: LivePhotoSource, options: KingfisherOptionsInfo? = nil,
        progressBlock: SendableProgressBlock? = nil,
        referenceTaskIdentifierChecker: (@Sendable () -> Bool)? = nil
    ) async throws -> LivePhotoLoadingInfoResult {
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
