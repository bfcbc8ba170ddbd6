import Foundation
import KingfisherImage
import Synchronization

/// One source's way: memory, disk, the original on disk, the source itself; then storing.
///
/// Each stage ends by starting the next or by `finish`, which hands the first outcome to the request and
/// drops later ones, so that a cancellation may come at any moment.
final class SourceRetrieval: Sendable {
    typealias Outcome = ImageRetrieval.Outcome

    let source: Source
    let request: ImageRetrieval
    let key: String
    let computedKey: String
    /// Whether servers have a say in how long pictures are used. Settled once: it is asked under locks.
    let heedsFreshness: Bool
    private let state = Mutex(State())

    private struct State: Sendable {
        var isOver = false
        /// Weak, because it holds this in turn, and a provider may never answer.
        weak var task: DownloadTask?
        /// The task while the caller has to hear of it yet.
        var newTask: DownloadTask?
        /// The version of the file at which this retrieval has looked into the cache once more.
        var versionLookedAt: UInt64?
        /// The rights to write what this retrieval makes, until it does.
        var leases: TierLeases?
        /// What follows its success.
        var sequel: (@Sendable () -> Void)?
        /// What ends with this retrieval.
        var departures: [@Sendable () -> Ending?] = []
    }

    init(of source: Source, for request: ImageRetrieval) {
        self.source = source
        self.request = request
        key = source.cacheKey
        computedKey = key.computedKey(with: request.options.processor.identifier)
        heedsFreshness =
            if request.options.httpCaching,
                case .network = source.loaded(readingFileURLs: request.readsFileURLs)
            { true } else { false }
    }

    /// Whoever drops the last reference to a retrieval that is not over leaves nothing of it behind.
    deinit {
        depart(state.withLock(\.departures))
    }

    var options: KingfisherParsedOptionsInfo { request.options }

    /// Answers with what memory had, or goes on to the disk and the source; `task` is the caller's to cancel
    /// it by.
    func start(_ task: DownloadTask, from hit: MemoryHit?) {
        state.withLock { $0.task = task }
        // Over before anybody else could have a use for it.
        if let hit, isUsable(hit.stored) { return finish(with: hit, task) }
        visitCaches()
        if let hit {
            finish(with: hit, task)
        } else if options.forceRefresh {
            load(task)
        } else {
            askCaches(task)
        }
    }

    /// Where the picture is kept, and after that the original that it is made of, if it is.
    var places: [(cache: ImageCache, key: String)] {
        let target = (request.targetCache, computedKey)
        return options.processor.identifier.isEmpty ? [target] : [target, (request.originalCache, key)]
    }

    /// Says to the caches that this retrieval is there: versions of files are known to visitors only, that of
    /// the original as well, whether it is stored, processed or read.
    func visitCaches() {
        for (cache, key) in places {
            cache.traffic.visit(key)
            untilOver { [traffic = cache.traffic] in
                traffic.leave(key)
                return nil
            }
        }
    }

    /// Has `follow` called once the request was answered with what this retrieval is about to hand out; not
    /// where that fails, or turns out to be of no use.
    func afterSuccess(_ follow: @escaping @Sendable () -> Void) {
        state.withLock { $0.sequel = $0.isOver ? nil : follow }
    }

    /// The leases of tiers for what this retrieval makes. They are given back with it.
    var leases: TierLeases? {
        get { state.withLock(\.leases) }
        set {
            let old = state.withLock { state in
                defer { state.leases = newValue }
                return state.leases
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Has `depart` called when this retrieval is over; at once where it is. The outcome is reported after
    /// the end of what that stops.
    func untilOver(_ depart: @escaping @Sendable () -> Ending?) {
        let isOver = state.withLock { state in
            if !state.isOver { state.departures.append(depart) }
            return state.isOver
        }
        if isOver { _ = depart() }
    }

    /// At most one of them stops something: a retrieval waits for one piece of shared work at a time.
    @discardableResult
    private func depart(_ departures: [@Sendable () -> Ending?]) -> Ending? {
        departures.reduce(nil) { ending, depart in depart() ?? ending }
    }

    /// Joins work that others may do, or want done, at the same time. `act` hears what is up to this
    /// retrieval; `receive` the outcome, where it has to be waited for.
    func share<Key, Outcome>(
        _ work: SharedWork<Key, Outcome>, _ key: Key, acceptsLanded: Bool = true,
        unless isNeedless: () -> Bool = { false }, act: (SharedWork<Key, Outcome>.Turn) -> Void,
        receive: @escaping @Sendable (Outcome) -> Void
    ) {
        let member = SharedWork<Key, Outcome>.Member(isWanted: { [self] in isWanted }, receive: receive)
        let (turn, seat) = work.join(key, member, acceptsLanded: acceptsLanded, unless: isNeedless)
        untilOver { work.leave(seat) }
        act(turn)
    }

    /// Goes to the source, unless only caches may be asked or nobody waits any more; for a stale answer, to
    /// ask whether that is still good.
    func load(_ task: DownloadTask, insteadOf answer: CachedAnswer? = nil) {
        // What was to follow asks the source, too.
        withExtendedLifetime(state.withLock { $0.sequel.take() }) {}
        guard isWanted, !(options.onlyFromCache && !options.forceRefresh) else {
            return finish(notExisting, insteadOf: answer)
        }
        // The caller has the task of the source that was asked for.
        if task !== request.task { state.withLock { $0.newTask = $0.isOver ? nil : task } }
        switch source.loaded(readingFileURLs: request.readsFileURLs) {
        case .network(let resource) where request.sparesNetwork:
            finish(.constrained(resource.downloadURL), insteadOf: answer)
        case .network(let resource):
            download(resource, task, insteadOf: answer)
        case .provider(let provider):
            announceTask()
            supply(provider, task)
        }
    }

    /// Tells the caller of the task that took over, once.
    func announceTask() {
        if let task = state.withLock({ $0.newTask.take() }) { request.announce(task) }
    }

    /// Gives up for the user, through `task`.
    func cancel(_ task: DownloadTask) {
        request.noteCancelled()
        finish(.failure(cancellationError(task)))
    }

    /// Hands `outcome` on, if nothing was handed on before.
    func finish(_ outcome: Outcome) {
        let ended = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            defer {
                state.isOver = true
                state.newTask = nil
                state.leases = nil
                state.sequel = nil
                state.departures = []
            }
            return state
        }
        guard let ended else { return }
        // What comes of the outcome, a retry for one, must find this retrieval gone.
        let ending = depart(ended.departures)
        // A download may fail before it has a transfer; its task was new all the same.
        if let task = ended.newTask, let error = outcome.failure, !error.isUserCancellation {
            request.announce(task)
        }
        guard let ending else { return report(outcome, task: ended.task, then: ended.sequel) }
        ending.then { [self, task = ended.task] in report(outcome, task: task, then: ended.sequel) }
    }

    private func report(_ outcome: Outcome, task: DownloadTask?, then sequel: (@Sendable () -> Void)?) {
        request.end(self, task: task, with: outcome)
        if case .success = outcome { sequel?() }
    }

    /// Whether something was handed on already.
    var isOver: Bool { state.withLock(\.isOver) }

    /// Whether somebody still waits for the picture; asked between the steps of a look at the disk.
    var isWanted: Bool { !isOver && !request.isStale }

    /// Whether a picture that came into the cache meanwhile would do. Who does not ask the disk would not
    /// find there what is on its way to it, and look again for ever.
    var looksAgain: Bool { !options.forceRefresh && !options.fromMemoryCacheOrRefresh }

    /// Takes note of another look at a version of the file; false if that was looked at again before.
    func noteLook(at version: UInt64) -> Bool {
        state.withLock { state in
            defer { state.versionLookedAt = version }
            return state.versionLookedAt != version
        }
    }

    var notExisting: KingfisherError {
        .cacheError(reason: .imageNotExisting(key: key))
    }

    func fail(processing item: ImageProcessItem) {
        finish(.failure(.processorError(reason: .processingFailed(processor: options.processor, item: item))))
    }

    func cancellationError(_ task: DownloadTask?) -> KingfisherError {
        .cancelled(source, task: task)
    }
}

extension KingfisherError {
    /// The error of a request that is given up; names the transfer, if there was one.
    static func cancelled(_ source: Source, task: DownloadTask?) -> KingfisherError {
        switch source {
        case .provider(let provider):
            .requestError(reason: .dataProviderCancelled(provider: provider))
        case .network(let resource):
            .requestError(
                reason: .taskCancelled(
                    task: task?.sessionTask
                        ?? SessionDataTask(
                            request: URLRequest(url: resource.downloadURL),
                            key: TransferKey(resource.downloadURL), downloader: nil),
                    token: task?.cancelToken ?? 0))
        }
    }
}

extension Result {
    /// The error of a failure.
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
