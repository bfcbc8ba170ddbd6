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
        parsed.delivery = DeliveryOptions(callbackQueue: .untouch)
        parsed.waitForCache = true
        let options = parsed
        let cache = options.targetCache ?? cache
        if !options.forceRefresh, !options.fromMemoryCacheOrRefresh,
            let file = try? await cache.openFile(of: source, options), cache.isUsable(file.freshness, options)
        {
            return file
        }
        var result = try await load(source, options)
        if let file = try await cache.openFile(of: result.source, options) { return file }
        // The image was in memory, and its file was evicted from the disk.
        if result.cacheType == .memory, !options.cacheMemoryOnly {
            if options.storesProcessedFiles {
                try await cache.store(result.image, forKey: result.source.cacheKey, options: options)
            } else if !options.onlyFromCache {
                // The file needs the original data.
                parsed.forceRefresh = true
                result = try await load(source, parsed)
            }
            if let file = try await cache.openFile(of: result.source, options) { return file }
        }
        throw KingfisherError.cacheError(reason: .imageNotExisting(key: result.source.cacheKey))
    }

    private func load(
        _ source: Source, _ options: KingfisherParsedOptionsInfo
    ) async throws -> RetrieveImageResult {
        try await cancellable { completion in
            retrieveImage(
                with: source, options: options, progressBlock: nil, isCurrent: nil,
                completionHandler: completion)
        }
    }

    /// Opens the file of a resource's image in the disk cache. See the method for a source.
    public func retrieveFile(
        with resource: any Resource, options: KingfisherOptionsInfo? = nil
    ) async throws -> CachedImageFile {
        try await retrieveFile(with: resource.convertToSource(), options: options)
    }
}

extension ImageCache {
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
