import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// One request for the file of an image: what memory has of encoded images, the file on disk, and then the
/// image and what the serializer makes of it.
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
    /// Whether another file was about to be written when the request began, so that memory may have the old
    /// one.
    private let isBeingWritten: Bool
    private let state: Locked<State>

    private struct State: Sendable {
        /// Nil once the request is over.
        var completion: Completion?
        /// Weak, because it holds this in turn.
        weak var task: DownloadTask?
    }

    init(
        _ source: Source, _ options: KingfisherParsedOptionsInfo, _ manager: KingfisherManager,
        _ completion: @escaping Completion
    ) {
        self.source = source
        self.options = options
        self.manager = manager
        cache = options.targetCache ?? manager.cache
        computedKey = source.cacheKey.computedKey(with: options.processor.identifier)
        fileKey = ImageCache.fileKey(computedKey, options.forcedExtension)
        state = Locked(State(completion: completion))
        // Versions of a key are counted for visitors.
        isBeingWritten = cache.traffic.visit(computedKey).isBeingWritten
    }

    deinit { cache.traffic.leave(computedKey) }

    /// What it takes to fetch the image where no cache has the file.
    struct Fetching: Sendable {
        let progressBlock: SendableProgressBlock?
        let downloadTaskUpdated: DownloadTaskUpdatedBlock?
    }

    /// Answers from memory, or goes on off this thread; the task is nil where that was the end.
    func start(_ fetching: Fetching) -> DownloadTask? {
        if !isBeingWritten, let encoded = encodedInMemory {
            finish(with: encoded, .memory)
            return nil
        }
        let task = DownloadTask(cancelWork: { [self] task in
            finish(.failure(.cancelled(source, task: task)))
        })
        state.withLock { $0.task = task }
        // In its turn, memory has the file that is being written.
        if !readsFile, !isBeingWritten {
            fetch(fetching, task)
        } else if readsFile, options.readsDiskOnCallersThread {
            readFile(fetching, task, asksMemory: !isBeingWritten)
        } else {
            cache.diskQueue.run(key: computedKey) { [self] in readFile(fetching, task, asksMemory: true) }
        }
        return task
    }

    private var encodedInMemory: EncodedImage? {
        guard !options.forceRefresh, !cache.isSubclass else { return nil }
        let encoded = cache.encodedStorage.value(
            forKey: fileKey, extendingExpiration: options.memoryCacheAccessExtendingExpiration)
        return encoded.flatMap { isUsable($0) ? $0 : nil }
    }

    /// Whether the disk may be asked for a file, and holds processed images.
    private var readsFile: Bool {
        !options.forceRefresh && !options.fromMemoryCacheOrRefresh && !cache.isSubclass
            && options.storesProcessedFiles
    }

    /// Whether a file may be used without a question to its server.
    private func isUsable(_ encoded: EncodedImage) -> Bool {
        guard options.httpCaching, let freshness = encoded.freshness else { return true }
        return freshness.reuse(for: .unknown, at: cache.clock.now) == .fresh
    }

    private func readFile(_ fetching: Fetching, _ task: DownloadTask, asksMemory: Bool) {
        guard !isOver else { return }
        if asksMemory, let encoded = encodedInMemory { return finish(with: encoded, .memory) }
        if readsFile, let encoded = cache.readEncoded(forComputedKey: computedKey, options: options),
            isUsable(encoded)
        {
            return finish(with: encoded, .disk)
        }
        fetch(fetching, task)
    }

    private func fetch(_ fetching: Fetching, _ task: DownloadTask) {
        // A file that its server has to be asked about is read again afterwards.
        cache.encodedStorage.remove(forKey: fileKey)
        var options = options
        options.change { groups in
            groups.delivery = DeliveryOptions(callbackQueue: .untouch)
            groups.cache.keepsEncoded = true
        }
        let own = manager.retrieveImage(
            with: source, options: options, progressBlock: fetching.progressBlock,
            downloadTaskUpdated: fetching.downloadTaskUpdated, isCurrent: nil
        ) { [self] result in
            switch result {
            case .failure(let error): finish(.failure(error))
            case .success(let image): deliverFile(of: image)
            }
        }
        if let own { task.follow(own) }
    }

    /// After the write of the image, if there is one: that has encoded it.
    private func deliverFile(of result: RetrieveImageResult) {
        cache.diskQueue.run(key: computedKey) { [self] in
            guard !isOver else { return }
            if let encoded = file(of: result) {
                return finish(.success(RetrieveDataResult(encoded.data, of: result)))
            }
            let original =
                options.storesProcessedFiles && !result.cacheType.cached ? result.data() : nil
            finish(
                cache.encode(result.image, original: original, options: options)
                    .map { RetrieveDataResult($0, of: result) })
        }
    }

    /// What was encoded, or is on disk, for an image.
    private func file(of result: RetrieveImageResult) -> EncodedImage? {
        // An alternative source has another key.
        guard !cache.isSubclass, result.source.cacheKey == source.cacheKey else { return nil }
        if let encoded = cache.encodedStorage.value(forKey: fileKey, extendingExpiration: .none) {
            return encoded
        }
        guard result.cacheType.cached, readsFile else { return nil }
        return cache.readEncoded(forComputedKey: computedKey, options: options)
    }

    private func finish(with encoded: EncodedImage, _ type: CacheType) {
        // What comes from an image is reported by the request for that.
        KingfisherEvents.report(.requestBegan(source: source.eventName))
        KingfisherEvents.report(
            .requestFinished(
                source: source.eventName, cacheType: type, duration: startTime.secondsAgo))
        finish(
            .success(
                RetrieveDataResult(
                    data: encoded.data, cacheType: type, source: source, originalSource: source)))
    }

    private var isOver: Bool { state.withLock { $0.completion == nil } }

    private func finish(_ outcome: Outcome) {
        let (completion, task) = state.withLock { ($0.completion.take(), $0.task) }
        guard let completion else { return }
        // A task that is kept must not keep a finished request.
        task?.end()
        options.callbackQueue.execute { completion(outcome) }
    }
}

extension RetrieveDataResult {
    fileprivate init(_ data: Data, of result: RetrieveImageResult) {
        self.init(
            data: data, image: result.image, cacheType: result.cacheType, source: result.source,
            originalSource: result.originalSource, metrics: result.metrics)
    }
}
