import Foundation
import KingfisherStorage

extension ImageCache {
    /// Removes the images that were stored with one of these tags (`KingfisherOptionsInfoItem.tags`), and
    /// their originals, from memory synchronously and from disk asynchronously.
    ///
    /// A request that begins before the end of the removal delivers its image and does not store it; later
    /// requests load the image again. An image that the program stores itself after the call is not removed.
    /// The completion handler gets the number of removed files, or an error if some could not be removed or
    /// the folder cannot be listed. It runs on a
    /// private serial queue unless `callbackQueue` names another. Searching a folder of a million files takes
    /// seconds in the background; the cache can be used in the meantime. Files of versions before 0.2 have no
    /// tags.
    public func removeImages(
        tagged tags: [String], callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (Result<Int, any Error>) -> Void)? = nil
    ) {
        remove(.tagged(Set(tags)), callbackQueue, completionHandler)
    }

    /// Removes the images whose cache key has the prefix `keyPrefix`, including processed ones, from memory
    /// synchronously and from disk asynchronously.
    ///
    /// A file is found by its key if it was stored with tags, or while `DiskStorage.Config.recordsKeys` was
    /// set. If that is not set now, the call removes the files that it finds and then fails with
    /// ``KeysNotRecorded``. Otherwise it works like
    /// `removeImages(tagged:callbackQueue:completionHandler:)`.
    public func removeImages(
        keyPrefix: String, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (Result<Int, any Error>) -> Void)? = nil
    ) {
        remove(.keyPrefix(keyPrefix), callbackQueue, completionHandler)
    }

    /// Removes the images that were stored with one of these tags. Returns the number of removed files.
    @discardableResult
    public func removeImages(tagged tags: [String]) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            removeImages(tagged: tags) { continuation.resume(with: $0) }
        }
    }

    /// Removes the images whose cache key has the prefix `keyPrefix`. Returns the number of removed files.
    @discardableResult
    public func removeImages(keyPrefix: String) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            removeImages(keyPrefix: keyPrefix) { continuation.resume(with: $0) }
        }
    }

    func forgetFailure(forKey key: String, processorIdentifier identifier: String) {
        failures.withLock { $0.remove(forKey: key, computedKey: key.computedKey(with: identifier)) }
    }

    private func remove(
        _ selection: EntrySelection, _ queue: CallbackQueue,
        _ completion: (@Sendable (Result<Int, any Error>) -> Void)?
    ) {
        let date = clock.now
        let removal = removals.begin(selection)
        // The removals of files with pending writes.
        let pending = Locked<[Result<Int, any Error>]>([])
        traffic.remove(selection) { [self] file in
            let outcome = Result { try remove(file) }
            pending.withLock { $0.append(outcome) }
        } then: { [self] in
            let result = Result {
                let files = Result { try removeFiles(in: selection, storedUntil: date) }
                return try (pending.withLock { $0 } + [files]).reduce(0) { try $0 + $1.get() }
            }
            // Again, because images may have been read from files before these were removed.
            traffic.changeVersions()
            removeFromMemory(selection)
            removals.end(removal)
            if let completion { completions.run(on: queue) { completion(result) } }
        }
        removeFromMemory(selection)
    }

    private func removeFromMemory(_ selection: EntrySelection) {
        // Failures have no tags.
        failures.withLock { $0.removeAll { selection.contains(key: $0, tags: []) } }
        for (key, image) in memoryStorage.engine.entries + memoryStorage.displayed.all.map({ ($0, $1) })
        where selection.contains(key: key, tags: notes.tags(of: image, forKey: key)) {
            memoryStorage.remove(forKey: key)
        }
        for (key, file) in encodedStorage.engine.entries where selection.contains(key: key, tags: file.tags) {
            encodedStorage.remove(forKey: key)
        }
    }

    private func remove(_ file: DiskTraffic.PendingFile) throws -> Int {
        let (key, suffix) = (file.computedKey, file.forcedExtension)
        guard diskStorage.isCached(forKey: key, forcedExtension: suffix) else { return 0 }
        try diskStorage.remove(forKey: key, forcedExtension: suffix)
        return 1
    }

    private func removeFiles(in selection: EntrySelection, storedUntil date: Date) throws -> Int {
        let count = try diskStorage.removeEntries(in: selection, storedUntil: date)
        if case .keyPrefix = selection, !diskStorage.config.recordsKeys {
            throw KeysNotRecorded(removedFiles: count)
        }
        return count
    }
}

/// The error of a removal by key if the cache does not record keys.
public struct KeysNotRecorded: LocalizedError, Sendable {
    /// The number of removed files; only files with tags were found.
    public let removedFiles: Int

    public var errorDescription: String? {
        "Files were not searched by key, because the cache does not record keys. "
            + "Set diskStorage.config.recordsKeys before images are stored."
    }
}
