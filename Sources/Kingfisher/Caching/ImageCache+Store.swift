import Foundation
import KingfisherTransport

extension ImageCache {
    /// Stores an image with what the ledger has of its server.
    func keep(
        _ image: KFCrossPlatformImage, original: Data?, forKey key: String,
        options: KingfisherParsedOptionsInfo, toDisk: Bool,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)?
    ) {
        let computedKey = key.computedKey(with: options.processor.identifier)
        let freshness = ledger.freshness(of: image, forKey: computedKey)
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

    /// Stores `data`, with what the server has said about them.
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
        let bytes = options.decodingContext.run { serializer.data(with: image, original: original) }
        guard let data = bytes else {
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
struct IdentifierOnlyProcessor: ImageProcessor {
    let identifier: String

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        item.decoded(with: options)
    }
}
