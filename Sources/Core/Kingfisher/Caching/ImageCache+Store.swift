import Foundation
import KingfisherConcurrency
import KingfisherStorage
import KingfisherTransport

extension ImageCache {
    func storeInCaches(
        _ image: KFCrossPlatformImage, original: Data?, forKey key: String,
        options: KingfisherParsedOptionsInfo, toDisk: Bool,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)?
    ) {
        let identifier = options.processor.identifier
        let computedKey = key.computedKey(with: identifier)
        notes.note(tags: options.tags, of: image, forKey: computedKey)
        let note = notes.note(of: image, forKey: computedKey)
        // A request for the file does not need the pixels.
        if options.keepsEncoded {
            memoryStorage.remove(forKey: computedKey)
        } else {
            memoryStorage.store(value: image, forKey: computedKey, expiration: options.memoryCacheExpiration)
            reduced.note(image, forKey: key, processorIdentifier: identifier)
        }
        // At the end, because an image with a pending write can also be found.
        defer { insertions.note() }
        guard toDisk || options.keepsEncoded else {
            encodedStorage.remove(forKey: Self.fileKey(computedKey, options.forcedExtension))
            if let completionHandler {
                options.callbackQueue.execute { completionHandler(.success) }
            }
            return
        }
        let request = WriteRequest(
            content: .image(
                image, original: original, serializer: ValueIdentity(options.cacheSerializer)),
            forcedExtension: options.forcedExtension, expiration: options.diskCacheExpiration,
            options: options.diskStoreWriteOptions, freshness: note?.freshness, tags: note?.tags ?? [],
            isPrivate: note?.isPrivate ?? false, writesFile: toDisk)
        perform(
            request, forComputedKey: computedKey, on: options.callbackQueue, completionHandler
        ) { [self] version in
            encodeAndWrite(
                image, original: original, forComputedKey: computedKey, options: options, as: request,
                version: version)
        }
    }

    /// Encodes an image once, for the disk, the file observer and the encoded storage, and writes the file.
    private func encodeAndWrite(
        _ image: KFCrossPlatformImage, original: Data?, forComputedKey key: String,
        options: KingfisherParsedOptionsInfo, as request: WriteRequest, version: UInt64
    ) -> Result<(), KingfisherError> {
        // An expired entry is never written.
        let isExpired = options.diskCacheExpiration?.isExpired ?? false
        let file =
            request.writesFile && !isExpired ? encode(image, original: original, options: options) : nil
        if let observer = options.values.handover.file.observer, case .success(let data)? = file {
            observer(EncodedImage(data: data, freshness: request.freshness, tags: request.tags))
        }
        if options.keepsEncoded,
            case .success(let data) = options.storesProcessedFiles
                ? file ?? encode(image, original: original, options: options)
                : encode(image, original: nil, options: options)
        {
            storeEncoded(
                EncodedImage(data: data, freshness: request.freshness, tags: request.tags),
                forComputedKey: key, options: options, ifVersionIs: version)
        }
        return file?.flatMap { write($0, forComputedKey: key, as: request) } ?? .success(())
    }

    func storeToDisk(
        _ data: Data, forComputedKey computedKey: String, forcedExtension: String?,
        expiration: StorageExpiration?, callbackQueue: CallbackQueue = .untouch,
        freshness: HTTPFreshness? = nil, tags: [String] = [], isPrivate: Bool = false,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)?
    ) {
        let request = WriteRequest(
            content: .bytes(data), forcedExtension: forcedExtension, expiration: expiration, options: [],
            freshness: freshness, tags: tags, isPrivate: isPrivate)
        perform(request, forComputedKey: computedKey, on: callbackQueue, completionHandler) { [self] _ in
            write(data, forComputedKey: computedKey, as: request)
        }
    }

    /// Calls `write` on the key's queue, with the new version of the key.
    ///
    /// Does not call it if an equal request is pending, or was the last one and its file still exists.
    private func perform(
        _ request: WriteRequest, forComputedKey key: String, on queue: CallbackQueue,
        _ completionHandler: (@Sendable (CacheStoreResult) -> Void)?,
        by write: @escaping @Sendable (_ version: UInt64) -> Result<(), KingfisherError>
    ) {
        let fileKey = Self.fileKey(key, request.forcedExtension)
        traffic.write(request, forKey: key) { [self] job in
            // Removes the old file. Requests do not read it while this write is pending.
            if !job.isRepeat { encodedStorage.remove(forKey: fileKey) }
            let isRenewed =
                job.isRepeat && request.writesFile
                && diskStorage.renew(
                    forKey: key, expiration: request.expiration, forcedExtension: request.forcedExtension)
            return isRenewed ? .success(()) : write(job.version)
        } completion: { [completions] result in
            guard let completionHandler else { return }
            completions.run(on: queue) {
                completionHandler(
                    CacheStoreResult(memoryCacheResult: .success(()), diskCacheResult: result))
            }
        }
    }

    /// - Parameter interruptedURL: The URL whose interrupted download is also removed from the disk.
    func remove(
        forComputedKey key: String, forcedExtension: String?, interruptedURL: String? = nil, fromMemory: Bool,
        fromDisk: Bool, callbackQueue: CallbackQueue,
        completionHandler: @escaping @Sendable (Result<(), any Error>) -> Void
    ) {
        let fileKey = Self.fileKey(key, forcedExtension)
        if fromMemory { memoryStorage.remove(forKey: key) }
        if fromDisk {
            traffic.remove(key) { [self] in
                let result = Result { try diskStorage.remove(forKey: key, forcedExtension: forcedExtension) }
                if let interruptedURL { bodies.removePartial(for: interruptedURL) }
                if fromMemory { encodedStorage.remove(forKey: fileKey) }
                completions.run(on: callbackQueue) { completionHandler(result) }
            }
        }
        // After `traffic.remove`, which changes the version: a file that was read before is not stored.
        if fromMemory { encodedStorage.remove(forKey: fileKey) }
        if !fromDisk { callbackQueue.execute { completionHandler(.success(())) } }
    }

    func encode(
        _ image: KFCrossPlatformImage, original: Data?, options: KingfisherParsedOptionsInfo
    ) -> Result<Data, KingfisherError> {
        let serializer = options.cacheSerializer
        let data = options.decodingContext.run { serializer.data(with: image, original: original) }
        return data.map { .success($0) }
            ?? .failure(
                .cacheError(
                    reason: .cannotSerializeImage(image: image, original: original, serializer: serializer)))
    }

    private func write(
        _ data: Data, forComputedKey key: String, as request: WriteRequest
    ) -> Result<(), KingfisherError> {
        do {
            try diskStorage.store(
                data, forKey: key, expiration: request.expiration, writeOptions: request.options,
                forcedExtension: request.forcedExtension, tags: request.tags,
                records: (request.freshness?.records ?? [])
                    + EntryRecord.records(isPrivate: request.isPrivate))
            KingfisherEvents.report(.stored(key: key.withoutUserInfo, bytes: data.count))
            return .success(())
        } catch let error as KingfisherError {
            return .failure(error)
        } catch {
            return .failure(
                .cacheError(reason: .cannotConvertToData(object: diskStorage.directoryURL, error: error)))
        }
    }
}

extension CacheStoreResult {
    static let success = CacheStoreResult(memoryCacheResult: .success(()), diskCacheResult: .success(()))
}

struct IdentifierOnlyProcessor: ImageProcessor {
    let identifier: String

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        item.decoded(with: options)
    }
}
