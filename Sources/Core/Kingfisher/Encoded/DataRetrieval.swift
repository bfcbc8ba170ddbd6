import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// One request for the file of an image: from the encoded images in memory, from disk, or by loading the
/// image and serializing it.
final class DataRetrieval: Sendable {
    typealias Outcome = Result<RetrieveDataResult, KingfisherError>
    typealias Completion = @Sendable (Outcome) -> Void

    private let source: Source
    private let options: KingfisherParsedOptionsInfo
    private let manager: KingfisherManager
    private let cache: ImageCache
    private let computedKey: String
    private let fileKey: String
    private let startTime = ContinuousClock.now
    /// Whether a write of the file was pending when the request began. Memory may have the old file then.
    private let isBeingWritten: Bool
    private let state: Locked<State>

    private struct State: Sendable {
        var completion: Completion?
        /// Weak, because the task holds this object.
        weak var task: DownloadTask?
    }

    init(
        _ source: Source, _ options: KingfisherParsedOptionsInfo, _ manager: KingfisherManager,
        _ completion: @escaping Completion
    ) {
        let source = manager.keyed(source)
        self.source = source
        self.options = options
        self.manager = manager
        cache = options.targetCache ?? manager.cache
        computedKey = source.cacheKey.computedKey(with: options.processor.identifier)
        fileKey = ImageCache.fileKey(computedKey, options.forcedExtension)
        state = Locked(State(completion: completion))
        // `DiskTraffic` counts versions only for registered keys.
        isBeingWritten = cache.traffic.register(computedKey).isBeingWritten
    }

    deinit { cache.traffic.unregister(computedKey) }

    struct Handlers: Sendable {
        let progressBlock: SendableProgressBlock?
        let downloadTaskUpdated: DownloadTaskUpdatedBlock?
    }

    /// Without handlers, the image is not loaded if no cache has its file.
    func start(_ handlers: Handlers?) -> DownloadTask? {
        if !isBeingWritten, let encoded = encodedInMemory {
            finish(with: encoded, .memory)
            return nil
        }
        let task = DownloadTask(cancelWork: { [self] task in
            finish(.failure(.cancelled(source, task: task)))
        })
        state.withLock { $0.task = task }
        // A job on the key's queue runs after the pending write, when memory has the new file.
        if !readsFile, !isBeingWritten {
            fetch(handlers, task)
        } else if readsFile, options.readsDiskOnCallersThread {
            readFile(handlers, task, readsMemory: !isBeingWritten)
        } else {
            cache.diskQueue.run(key: computedKey) { [self] in readFile(handlers, task, readsMemory: true) }
        }
        return task
    }

    private var encodedInMemory: EncodedImage? {
        guard !options.forceRefresh, !cache.isSubclass else { return nil }
        let encoded = cache.encodedStorage.value(
            forKey: fileKey, extendingExpiration: options.memoryCacheAccessExtendingExpiration)
        return encoded.flatMap { cache.isUsable($0.freshness, of: source, options) ? $0 : nil }
    }

    private var readsFile: Bool {
        !options.forceRefresh && !options.fromMemoryCacheOrRefresh && !cache.isSubclass
            && options.storesProcessedFiles
    }

    private func readFile(_ handlers: Handlers?, _ task: DownloadTask, readsMemory: Bool) {
        guard !isOver else { return }
        if readsMemory, let encoded = encodedInMemory { return finish(with: encoded, .memory) }
        if readsFile, let encoded = cache.readEncoded(forComputedKey: computedKey, options: options),
            cache.isUsable(encoded.freshness, of: source, options)
        {
            return finish(with: encoded, .disk)
        }
        fetch(handlers, task)
    }

    private func fetch(_ handlers: Handlers?, _ task: DownloadTask) {
        guard let handlers else {
            return finish(.failure(.cacheError(reason: .imageNotExisting(key: computedKey))))
        }
        // A stale file in memory must not be delivered after its revalidation.
        cache.encodedStorage.remove(forKey: fileKey)
        var options = options
        options.change { values in
            values.deliverUnmodified()
            values.handover.file.isKept = true
        }
        let plan = RequestPlan(
            source, options, progressBlock: handlers.progressBlock,
            downloadTaskUpdated: handlers.downloadTaskUpdated)
        let own = manager.retrieveImage(plan) { [self] result in
            switch result {
            case .failure(let error): finish(.failure(error))
            case .success(let image): deliverFile(of: image)
            }
        }
        if let own { task.follow(own) }
    }

    /// Delivers the file of a loaded image, on the key's queue, after the write that has encoded it.
    private func deliverFile(of result: RetrieveImageResult) {
        cache.diskQueue.run(key: computedKey) { [self] in
            guard !isOver else { return }
            if let encoded = file(of: result) {
                return finish(.success(self.result(encoded, of: result)))
            }
            let original =
                options.storesProcessedFiles && !result.cacheType.cached ? result.data() : nil
            finish(
                cache.encode(result.image, original: original, options: options).map {
                    let key = result.source.cacheKey.computedKey(with: options.processor.identifier)
                    let freshness = cache.notes.freshness(of: result.image, forKey: key)
                    return self.result(EncodedImage(data: $0, freshness: freshness, tags: []), of: result)
                })
        }
    }

    private func file(of result: RetrieveImageResult) -> EncodedImage? {
        // An alternative source has another key.
        guard !cache.isSubclass, result.source.cacheKey == source.cacheKey else { return nil }
        let inMemory = cache.encodedStorage.value(forKey: fileKey, extendingExpiration: .none)
        if let inMemory, cache.isFile(inMemory.freshness, of: result, forKey: computedKey, options) {
            return inMemory
        }
        guard result.cacheType.cached, readsFile,
            let file = cache.readEncoded(forComputedKey: computedKey, options: options),
            cache.isFile(file.freshness, of: result, forKey: computedKey, options)
        else { return nil }
        return file
    }

    private func finish(with encoded: EncodedImage, _ type: CacheType) {
        // A loaded image is reported by its own request.
        let name = source.eventName
        KingfisherEvents.report(.requestBegan(source: name))
        KingfisherEvents.report(
            .requestFinished(source: name, cacheType: type, duration: startTime.secondsAgo))
        finish(
            .success(
                RetrieveDataResult(
                    data: encoded.data, tag: encoded.entityTag, image: nil, cacheType: type, source: source,
                    originalSource: source, metrics: nil, freshness: freshness(of: encoded))))
    }

    private func result(_ encoded: EncodedImage, of result: RetrieveImageResult) -> RetrieveDataResult {
        RetrieveDataResult(
            data: encoded.data, tag: encoded.entityTag, image: result.image, cacheType: result.cacheType,
            source: result.source, originalSource: result.originalSource, metrics: result.metrics,
            freshness: freshness(of: encoded))
    }

    private func freshness(of encoded: EncodedImage) -> SourceFreshness? {
        SourceFreshness(encoded.freshness, options, at: cache.clock.now)
    }

    private var isOver: Bool { state.withLock { $0.completion == nil } }

    private func finish(_ outcome: Outcome) {
        let (completion, task) = state.withLock { ($0.completion.take(), $0.task) }
        guard let completion else { return }
        // A user may keep the task, which must not retain a completed request.
        task?.end()
        options.callbackQueue.execute { completion(outcome) }
    }
}
