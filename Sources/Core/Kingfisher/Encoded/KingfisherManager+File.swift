import Foundation
import KingfisherImage
import KingfisherStorage
import KingfisherTransport

extension KingfisherManager {
    /// Opens the file of an image in the disk cache, after loading and storing the image if it is not there.
    ///
    /// The file is the image as the cache serializer stores it: processed, unless the serializer uses the
    /// original data. A file on disk is neither loaded nor decoded; with `.httpCaching`, a stale one is
    /// revalidated first. Otherwise the image is loaded as by `retrieveImage`, and memory holds its pixels
    /// then. For images that fit into memory many times, `retrieveData` costs less.
    ///
    /// Throws `KingfisherError` as `retrieveImage` and `ImageCache.store` do, `imageNotExisting` if the image
    /// may not be stored on disk (`.cacheMemoryOnly`, a response with `no-store`, a partial image), and
    /// `CancellationError` if the current task is cancelled before the load begins.
    public func retrieveFile(
        with source: Source, options: KingfisherOptionsInfo? = nil
    ) async throws -> CachedImageFile {
        try Task.checkCancellation()
        var parsed = parsedOptions(options)
        // A cache stores unmodified images.
        parsed.change { values in
            values.deliverUnmodified()
            values.waitForCache = true
        }
        let options = parsed
        let (cache, source) = (options.targetCache ?? cache, keyed(source))
        if !options.forceRefresh, !options.fromMemoryCacheOrRefresh,
            let file = try? await cache.openFile(of: source, options),
            cache.isUsable(file.freshness, of: source, options)
        {
            return file
        }
        var result = try await load(source, options)
        for attempt in 0..<10 {
            let (file, isReplaced) = try await cache.openFile(of: result, options)
            if let file { return file }
            // The image was in memory, and its file was evicted from the disk; or a concurrent request with
            // other header fields has replaced the file.
            guard isReplaced || attempt == 0 && result.cacheType == .memory, !options.cacheMemoryOnly
            else { break }
            if options.storesProcessedFiles {
                try await cache.store(
                    result.image, original: result.cacheType.cached ? nil : result.data(),
                    forKey: result.source.cacheKey, options: options)
            } else if !options.onlyFromCache {
                // The file needs the original data.
                parsed.forceRefresh = true
                result = try await load(source, parsed)
            }
        }
        throw KingfisherError.cacheError(reason: .imageNotExisting(key: result.source.cacheKey))
    }

    private func load(
        _ source: Source, _ options: KingfisherParsedOptionsInfo
    ) async throws -> RetrieveImageResult {
        try await cancellable { retrieveImage(RequestPlan(source, options), completionHandler: $0) }
    }

    /// Opens the file of a resource's image in the disk cache. See the method for a source.
    public func retrieveFile(
        with resource: any Resource, options: KingfisherOptionsInfo? = nil
    ) async throws -> CachedImageFile {
        try await retrieveFile(with: resource.convertToSource(), options: options)
    }
}

extension ImageCache {
    /// Whether a file with this freshness may be delivered for `result`. With `.httpCaching`, a concurrent
    /// request with other header fields may have replaced the result's file by the file of another response.
    func isFile(
        _ freshness: HTTPFreshness?, of result: RetrieveImageResult, forKey computedKey: String,
        _ options: KingfisherParsedOptionsInfo
    ) -> Bool {
        if let freshness, freshness.fileVersion != nil { return result.source.isCurrent(freshness, options) }
        guard options.httpCaching, let freshness else { return true }
        // A loaded image without freshness must not be stored, so the file belongs to another response.
        return notes.freshness(of: result.image, forKey: computedKey).map(freshness.isOfSameVariant)
            ?? result.cacheType.cached
    }

    /// The file of a loaded image; nil if there is none, or if it belongs to another response.
    fileprivate func openFile(
        of result: RetrieveImageResult, _ options: KingfisherParsedOptionsInfo
    ) async throws(KingfisherError) -> (file: CachedImageFile?, isReplaced: Bool) {
        guard let file = try await openFile(of: result.source, options) else { return (nil, false) }
        let key = result.source.cacheKey.computedKey(with: options.processor.identifier)
        if isFile(file.freshness, of: result, forKey: key, options) { return (file, false) }
        // Without freshness, the image must not be stored.
        return (nil, notes.freshness(of: result.image, forKey: key) != nil)
    }

    fileprivate func openFile(
        of source: Source, _ options: KingfisherParsedOptionsInfo
    ) async throws(KingfisherError) -> CachedImageFile? {
        let outcome: CachedImageFile.Opening = await withCheckedContinuation { continuation in
            options.decodingContext.run {
                openFile(
                    forKey: source.cacheKey, processorIdentifier: options.processor.identifier,
                    forcedExtension: options.forcedExtension,
                    extendingExpiration: options.diskCacheAccessExtendingExpiration
                ) { continuation.resume(returning: $0) }
            }
        }
        return try outcome.get()
    }
}
