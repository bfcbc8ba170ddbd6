import Foundation
import KingfisherConcurrency
import KingfisherTransport

extension ImageCache {
    /// Stores an image with what is known of it beside its pixels.
    func keep(
        _ image: KFCrossPlatformImage, original: Data?, forKey key: String,
        options: KingfisherParsedOptionsInfo, toDisk: Bool,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)?
    ) {
        let computedKey = key.computedKey(with: options.processor.identifier)
        notes.note(tags: options.tags, of: image, forKey: computedKey)
        let freshness = notes.freshness(of: image, forKey: computedKey)
        let tags = notes.tags(of: image, forKey: computedKey)
        // Who asks for the file has no use for the pixels.
        if options.keepsEncoded {
            memoryStorage.remove(forKey: computedKey)
        } else {
            memoryStorage.store(value: image, forKey: computedKey, expiration: options.memoryCacheExpiration)
        }
        // Also what is about to be written can be found.
        defer { arrivals.note() }
        guard toDisk || options.keepsEncoded else {
            encodedStorage.remove(forKey: Self.fileKey(computedKey, options.forcedExtension))
            if let completionHandler {
                options.callbackQueue.execute { completionHandler(.success) }
            }
            return
        }
        let order = WriteRequest(
            content: .image(
                image, original: original, serializer: ValueIdentity(options.cacheSerializer)),
            forcedExtension: options.forcedExtension, expiration: options.diskCacheExpiration,
            options: options.diskStoreWriteOptions, freshness: freshness, tags: tags, writesFile: toDisk)
        perform(
            order, forComputedKey: computedKey, on: options.callbackQueue, completionHandler
        ) { [self] version in
            encodeAndWrite(
                image, original: original, forComputedKey: computedKey, options: options, as: order,
                version: version)
        }
    }

    /// Encodes an image once for the disk, the observer and the encoded storage, as far as `order` and
    /// `options` ask for them, and writes the file.
    private func encodeAndWrite(
        _ image: KFCrossPlatformImage, original: Data?, forComputedKey key: String,
        options: KingfisherParsedOptionsInfo, as order: WriteRequest, version: UInt64
    ) -> Result<(), KingfisherError> {
        // An expired entry is never written, so it need not be encoded either.
        let isExpired = options.diskCacheExpiration?.isExpired ?? false
        let file = order.writesFile && !isExpired ? encode(image, original: original, options: options) : nil
        if let observer = options.fileObserver, case .success(let data)? = file {
            observer(EncodedImage(data: data, freshness: order.freshness, tags: order.tags))
        }
        if options.keepsEncoded,
            case .success(let data) = options.storesProcessedFiles
                ? file ?? encode(image, original: original, options: options)
                : encode(image, original: nil, options: options)
        {
            keepEncoded(
                EncodedImage(data: data, freshness: order.freshness, tags: order.tags),
                forComputedKey: key, options: options, ifVersionIs: version)
        }
        return file?.flatMap { write($0, forComputedKey: key, as: order) } ?? .success(())
    }

    /// Stores `data`, with what the server has said about them.
    func storeToDisk(
        _ data: Data, forComputedKey computedKey: String, forcedExtension: String?,
        expiration: StorageExpiration?, callbackQueue: CallbackQueue = .untouch,
        freshness: HTTPFreshness? = nil, tags: [String] = [],
        completionHandler: (@Sendable (CacheStoreResult) -> Void)?
    ) {
        let order = WriteRequest(
            content: .bytes(data), forcedExtension: forcedExtension, expiration: expiration, options: [],
            freshness: freshness, tags: tags)
        perform(order, forComputedKey: computedKey, on: callbackQueue, completionHandler) { [self] _ in
            write(data, forComputedKey: computedKey, as: order)
        }
    }

    /// Has `write` carry out an order in its turn, unless that is about to be done, or was just
    /// done and the file is still there. It gets the version of the key that the order makes.
    private func perform(
        _ order: WriteRequest, forComputedKey key: String, on queue: CallbackQueue,
        _ completionHandler: (@Sendable (CacheStoreResult) -> Void)?,
        by write: @escaping @Sendable (_ version: UInt64) -> Result<(), KingfisherError>
    ) {
        let fileKey = Self.fileKey(key, order.forcedExtension)
        traffic.write(order, forKey: key) { [self] job in
            // The old file. Requests do not look there while this waits for its turn.
            if !job.isRepeat { encodedStorage.remove(forKey: fileKey) }
            let isThere =
                job.isRepeat && order.writesFile
                && diskStorage.renew(
                    forKey: key, expiration: order.expiration, forcedExtension: order.forcedExtension)
            return isThere ? .success(()) : write(job.version)
        } completion: { [completions] result in
            guard let completionHandler else { return }
            completions.run(on: queue) {
                completionHandler(
                    CacheStoreResult(memoryCacheResult: .success(()), diskCacheResult: result))
            }
        }
    }

    func remove(
        forComputedKey key: String, forcedExtension: String?, fromMemory: Bool, fromDisk: Bool,
        callbackQueue: CallbackQueue, completionHandler: @escaping @Sendable (Result<(), any Error>) -> Void
    ) {
        let fileKey = Self.fileKey(key, forcedExtension)
        if fromMemory { memoryStorage.remove(forKey: key) }
        if fromDisk {
            traffic.remove(key) { [self] in
                let result = Result { try diskStorage.remove(forKey: key, forcedExtension: forcedExtension) }
                if fromMemory { encodedStorage.remove(forKey: fileKey) }
                completions.run(on: callbackQueue) { completionHandler(result) }
            }
        }
        // After the note: what is read before it is not kept.
        if fromMemory { encodedStorage.remove(forKey: fileKey) }
        if !fromDisk { callbackQueue.execute { completionHandler(.success(())) } }
    }

    /// The bytes that the serializer makes of an image.
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
        _ data: Data, forComputedKey key: String, as order: WriteRequest
    ) -> Result<(), KingfisherError> {
        do {
            try diskStorage.store(
                data, forKey: key, expiration: order.expiration, writeOptions: order.options,
                forcedExtension: order.forcedExtension, tags: order.tags,
                records: order.freshness?.records ?? [])
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

/// Stands for a processor where only its identifier is known; hands images on as they are.
struct IdentifierOnlyProcessor: ImageProcessor {
    let identifier: String

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        item.decoded(with: options)
    }
}
