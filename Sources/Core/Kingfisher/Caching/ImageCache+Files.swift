import KingfisherConcurrency
import KingfisherImage
public import KingfisherStorage

/// Files that are held open.
extension ImageCache {
    /// Opens the file of an image; nil if it is not on disk.
    ///
    /// Runs on a queue of the cache, after pending writes and removals of the image. Like reading the image,
    /// moves its expiration and treats an expired file, or one of the wrong length, as a miss. The file is
    /// not loaded: see ``CachedImageFile``. Throws `KingfisherError.cacheError`.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the processor that made the image.
    ///   - forcedExtension: The extension that the image was stored with (`.forcedCacheFileExtension`).
    ///   - extendingExpiration: How the expiration moves.
    public func openFile(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil, extendingExpiration: ExpirationExtending = .cacheTime
    ) async throws(KingfisherError) -> CachedImageFile? {
        let outcome: CachedImageFile.Opening = await withCheckedContinuation { continuation in
            openFile(
                forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
                extendingExpiration: extendingExpiration
            ) { continuation.resume(returning: $0) }
        }
        return try outcome.get()
    }

    /// Opens the file of an image; nil if it is not on disk.
    ///
    /// The completion handler runs on a private serial queue unless `callbackQueue` names another. See the
    /// `async` method.
    public func openFile(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil, extendingExpiration: ExpirationExtending = .cacheTime,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<CachedImageFile?, KingfisherError>) -> Void
    ) {
        let computedKey = key.computedKey(with: identifier)
        // The caller's context has the codecs that recognize the format.
        let context = DecodingContext.current
        diskQueue.run(key: computedKey) { [self] in
            let file = context.run {
                openFile(computedKey, forcedExtension: forcedExtension, extending: extendingExpiration)
            }
            completions.run(on: callbackQueue) { completionHandler(file) }
        }
    }

    private func openFile(
        _ computedKey: String, forcedExtension: String?, extending: ExpirationExtending
    ) -> CachedImageFile.Opening {
        do {
            let entry = try diskStorage.openEntry(
                forKey: computedKey, forcedExtension: forcedExtension, extendingExpiration: extending)
            return .success(try entry.map { try CachedImageFile($0) })
        } catch let error as KingfisherError {
            return .failure(error)
        } catch {
            let url = diskStorage.cacheFileURL(forKey: computedKey, forcedExtension: forcedExtension)
            return .failure(.cacheError(reason: .cannotLoadDataFromDisk(url: url, error: error)))
        }
    }
}
