public import Foundation
import KingfisherTransport

extension ImageCache {
    /// Keeps `image` in memory at once, and on disk soon after unless `toDisk` is false.
    ///
    /// The completion runs on the options' callback queue after the write, or without one when nothing is
    /// written.
    public func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: KingfisherParsedOptionsInfo, toDisk: Bool = true,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        store(
            image, original: original, forKey: key, options: options, toDisk: toDisk, freshness: nil,
            completionHandler: completionHandler)
    }

    /// As above, with what the server has said about the picture.
    func store(
        _ image: KFCrossPlatformImage, original: Data?, forKey key: String,
        options: KingfisherParsedOptionsInfo, toDisk: Bool, freshness: HTTPFreshness?,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)?
    ) {
        let computedKey = key.computedKey(with: options.processor.identifier)
        // First: who finds the picture in memory asks for this. Who shares a download without asking what its
        // server says must not overwrite what another has kept of that.
        if let freshness { ledger.note(freshness, of: image, forKey: computedKey) }
        let freshness = freshness ?? ledger.freshness(of: image, forKey: computedKey)
        memoryStorage.store(value: image, forKey: computedKey, expiration: options.memoryCacheExpiration)
        guard toDisk else {
            if let completionHandler {
                options.callbackQueue.execute { completionHandler(.success) }
            }
            return
        }
        let order = WriteOrder(
            content: .picture(
                image, original: original, serializer: ValueIdentity(options.cacheSerializer)),
            forcedExtension: options.forcedExtension, expiration: options.diskCacheExpiration,
            options: options.diskStoreWriteOptions, freshness: freshness)
        carryOut(order, forComputedKey: computedKey, on: options.callbackQueue, completionHandler) { [self] in
            write(
                image, original: original, forComputedKey: computedKey, options: options, freshness: freshness
            )
        }
    }

    /// Keeps `image` in memory at once, and on disk soon after unless `toDisk` is false.
    ///
    /// The completion runs on a private serial queue unless `callbackQueue` names another.
    public func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default, toDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        var options = KingfisherParsedOptionsInfo(nil)
        options.processor = IdentifierOnlyProcessor(identifier: identifier)
        options.cacheSerializer = serializer
        options.callbackQueue = callbackQueue
        options.forcedExtension = forcedExtension
        store(
            image, original: original, forKey: key, options: options, toDisk: toDisk,
            completionHandler: completionHandler)
    }

    /// Keeps `data` on disk as they are.
    public func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "",
        forcedExtension: String? = nil, expiration: StorageExpiration? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        storeToDisk(
            data, forComputedKey: key.computedKey(with: identifier), forcedExtension: forcedExtension,
            expiration: expiration, callbackQueue: callbackQueue, freshness: nil,
            completionHandler: completionHandler)
    }

    /// As above, with what the server has said about the bytes.
    func storeToDisk(
        _ data: Data, forComputedKey computedKey: String, forcedExtension: String?,
        expiration: StorageExpiration?, callbackQueue: CallbackQueue = .untouch, freshness: HTTPFreshness?,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)?
    ) {
        let order = WriteOrder(
            content: .bytes(data), forcedExtension: forcedExtension, expiration: expiration, options: [],
            freshness: freshness)
        carryOut(order, forComputedKey: computedKey, on: callbackQueue, completionHandler) { [self] in
            diskResult {
                try diskStorage.store(
                    data, forKey: computedKey, expiration: expiration, forcedExtension: forcedExtension,
                    records: freshness?.records ?? [])
                KingfisherEvents.report(.stored(key: computedKey.withoutUserInfo, bytes: data.count))
            }
        }
    }

    /// Has `write` carry out an order in its turn, unless that is about to be done, or was just
    /// done and the file is still there.
    private func carryOut(
        _ order: WriteOrder, forComputedKey key: String, on queue: CallbackQueue,
        _ completionHandler: (@Sendable (CacheStoreResult) -> Void)?,
        by write: @escaping @Sendable () -> Result<(), KingfisherError>
    ) {
        let completion: DiskTraffic.Completion = { [lanes] result in
            guard let completionHandler else { return }
            lanes.deliver(on: queue) {
                completionHandler(
                    CacheStoreResult(memoryCacheResult: .success(()), diskCacheResult: result))
            }
        }
        traffic.begin(order, forKey: key, completion: completion) { job in
            lanes.run(key: key) { [self] in
                let isThere =
                    job.isRepeat
                    && diskStorage.renew(
                        forKey: key, expiration: order.expiration, forcedExtension: order.forcedExtension)
                let result = isThere ? .success(()) : write()
                for completion in traffic.end(job.number, forKey: key, with: result) { completion(result) }
            }
        }
    }

    /// Removes a picture: from memory at once, from disk soon after. Errors are ignored.
    public func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        remove(
            forComputedKey: key.computedKey(with: identifier), forcedExtension: forcedExtension,
            fromMemory: fromMemory, fromDisk: fromDisk, callbackQueue: callbackQueue
        ) { _ in completionHandler?() }
    }

    func remove(
        forComputedKey key: String, forcedExtension: String?, fromMemory: Bool, fromDisk: Bool,
        callbackQueue: CallbackQueue, completionHandler: @escaping @Sendable (Result<(), any Error>) -> Void
    ) {
        if fromMemory { memoryStorage.remove(forKey: key) }
        guard fromDisk else { return callbackQueue.execute { completionHandler(.success(())) } }
        traffic.noteRemoval(of: key) {
            lanes.run(key: key) { [self] in
                let result = Result { try diskStorage.remove(forKey: key, forcedExtension: forcedExtension) }
                lanes.deliver(on: callbackQueue) { completionHandler(result) }
            }
        }
    }

    private func write(
        _ image: KFCrossPlatformImage, original: Data?, forComputedKey key: String,
        options: KingfisherParsedOptionsInfo, freshness: HTTPFreshness?
    ) -> Result<(), KingfisherError> {
        // An expired entry is never written, so it need not be encoded either.
        if let expiration = options.diskCacheExpiration, expiration.isExpired { return .success(()) }
        let serializer = options.cacheSerializer
        guard let data = serializer.data(with: image, original: original) else {
            return .failure(
                .cacheError(
                    reason: .cannotSerializeImage(image: image, original: original, serializer: serializer)))
        }
        return diskResult {
            try diskStorage.store(
                data, forKey: key, expiration: options.diskCacheExpiration,
                writeOptions: options.diskStoreWriteOptions, forcedExtension: options.forcedExtension,
                records: freshness?.records ?? [])
            KingfisherEvents.report(.stored(key: key.withoutUserInfo, bytes: data.count))
        }
    }

    private func diskResult(_ body: () throws -> Void) -> Result<(), KingfisherError> {
        do {
            return .success(try body())
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

/// Stands for a processor where only its identifier is known; hands pictures on as they are.
private struct IdentifierOnlyProcessor: ImageProcessor {
    let identifier: String

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        item.decoded(with: options)
    }
}
