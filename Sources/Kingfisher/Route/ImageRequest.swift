import Foundation
import Glibc
import KingfisherConcurrency
import KingfisherImage
import Synchronization

/// What a request works with: the parts of its manager, unless its options name others.
struct RouteParts: Sendable {
    let targetCache: ImageCache
    let originalCache: ImageCache
    let downloader: ImageDownloader
    let processingQueue: CallbackQueue
    let networkMonitor: NetworkMonitor
    let admission: AdmissionControl?
    let tiers: TierStack?
    let readsFileURLs: Bool
}

/// One call for an image: what is asked for, who waits for the outcome, and how it is cancelled.
///
/// Its route runs until it has an outcome or a cancellation comes; whichever is first is reported, once. Safe
/// from any thread.
///
/// The request is the executor of its route, which goes on at once where what it waited for has ended, as a
/// callback would, without a thread of its own. What takes time runs on the queues of the stages.
final class ImageRequest: RouteRequest, TaskExecutor {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    let source: Source
    let options: KingfisherParsedOptionsInfo
    private let parts: RouteParts
    let progressBlock: SendableProgressBlock?
    let startTime = ContinuousClock.now
    /// Whether this renews in the background what another request was answered with.
    let isRenewal: Bool
    /// Counts the steps of requests that are made in its task; for tests.
    @TaskLocal static var probe: (@Sendable (Step) -> Void)?
    let probe = ImageRequest.probe
    private let isCurrent: (@Sendable () -> Bool)?
    private let state: Mutex<State>

    private typealias Continuation = UnsafeContinuation<(any Sendable)?, Never>

    private struct Beginning: Sendable {
        let thread: pthread_t
        let number: Int
        let begin: @Sendable (Wait) -> Void
    }

    /// What a request does that takes time when it is done too often.
    enum Step: Equatable, Sendable {
        case memoryLookup(String)
        case diskLookup(String)
        case pendingWriteLookup(String)
        /// A part of the route runs on this thread.
        case run(on: pthread_t)
    }

    /// Who waits for the outcome.
    struct Caller: Sendable {
        let downloadTaskUpdated: DownloadTaskUpdatedBlock?
        let completion: (@Sendable (Outcome) -> Void)?
    }

    private struct State: Sendable {
        /// Nil once the request is reported: what the caller passed in must not outlive it.
        var caller: Caller?
        /// What the caller got to cancel the request by. Weak, because it holds this.
        weak var task: DownloadTask?
        /// What had come into the target cache when the first source's image was looked up in memory.
        var firstArrivals: UInt64?
        /// The source that is being loaded, or was last.
        var stages: SourceStages?
        /// One for all attempts; nil before the first failure.
        var retryContext: RetryContext?
        /// What to do when the source that is being loaded is given up, or the request is over.
        var cleanups: [@Sendable () -> Latch?] = []
        /// Where the route waits.
        var continuation: Continuation?
        /// The number of the last wait.
        var waitNumber = 0
        /// What starts the work that the route waits for.
        var beginning: Beginning?
        /// The threads that run a part of the route, or begin what it waits for.
        var threads: [pthread_t] = []

        var isOver: Bool { caller == nil }
    }

    init(
        source: Source, options: KingfisherParsedOptionsInfo, parts: RouteParts,
        progressBlock: SendableProgressBlock?, isCurrent: (@Sendable () -> Bool)?, caller: Caller
    ) {
        self.source = source
        self.options = options
        self.progressBlock = progressBlock
        self.isCurrent = isCurrent
        isRenewal = false
        self.parts = parts
        state = Mutex(State(caller: caller))
    }

    /// Renews what `request` was answered with; its observer hears of a new image.
    ///
    /// - Parameter forcesRefresh: Whether what caches have by now does not do.
    init(renewing source: Source, for request: ImageRequest, forcesRefresh: Bool) {
        self.source = source
        var options = request.options.ofRenewal
        if forcesRefresh { options.forceRefresh = true }
        self.options = options
        progressBlock = nil
        isCurrent = nil
        isRenewal = true
        parts = request.parts
        let observer = request.options.renewalObserver
        state = Mutex(
            State(
                caller: Caller(downloadTaskUpdated: nil) { result in
                    if let observer, case .success(let renewed) = result { observer(renewed) }
                }))
    }

    /// Begins with what memory had; the task cancels whatever goes on, and is nil where that was the end.
    ///
    /// - Parameter arrivals: What had come into the target cache when memory was asked.
    func start(from hit: MemoryHit?, lookedUpAt arrivals: UInt64) -> DownloadTask? {
        let task = DownloadTask(cancelWork: { [self] _ in cancel() })
        state.withLock { ($0.task, $0.firstArrivals) = (task, arrivals) }
        if !options.forceRefresh { probe?(.memoryLookup(source.cacheKey)) }
        run {
            _ = Task.immediateDetached(executorPreference: self) { await Route(request: self).run(from: hit) }
        }
        // A subclass may answer at once, too.
        return (hit?.image != nil || targetCache.isSubclass) && isOver ? nil : task
    }

    /// Renews in the background what another request was answered with.
    func start(_ renewal: Renewal) {
        run {
            _ = Task.immediateDetached(executorPreference: self) { await Route(request: self).renew(renewal) }
        }
    }

    var targetCache: ImageCache { parts.targetCache }
    var originalCache: ImageCache { parts.originalCache }
    var downloader: ImageDownloader { parts.downloader }
    var processingQueue: CallbackQueue { parts.processingQueue }
    var admission: AdmissionControl? { parts.admission }
    var tiers: TierStack? { parts.tiers }
    var readsFileURLs: Bool { parts.readsFileURLs }

    // MARK: The end

    /// Gives the request up for the user.
    func cancel() {
        guard let stages = state.withLock({ $0.isOver ? nil : $0.stages }) else { return }
        end(with: .failure(.cancelled(stages.source, task: stages.task)))
        stages.task.cancel()
    }

    @discardableResult
    func finish(with loaded: Loaded) -> Bool { end(with: .success(loaded.result)) }

    func fail(with error: KingfisherError) { end(with: .failure(error)) }

    /// Reports the outcome on the caller's queue, once what the route has waited for is over.
    @discardableResult
    private func end(with outcome: Outcome) -> Bool {
        let ended = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            defer {
                (state.caller, state.stages, state.retryContext) = (nil, nil, nil)
                (state.continuation, state.cleanups) = (nil, [])
            }
            return state
        }
        guard let ended else { return false }
        let ending = Self.run(ended.cleanups)
        ended.task?.end()
        ended.continuation?.resume(returning: nil)
        guard let ending else {
            report(outcome, to: ended.caller)
            return true
        }
        ending.whenOpen { [self] in report(outcome, to: ended.caller) }
        return true
    }

    private func report(_ outcome: Outcome, to caller: Caller?) {
        if !isRenewal {
            KingfisherEvents.report(.end(of: source, outcome, duration: startTime.secondsAgo))
        }
        if let completion = caller?.completion { options.report(outcome, to: completion) }
    }

    var isOver: Bool { state.withLock(\.isOver) }

    /// Whether a newer request took this one's place.
    private var isSuperseded: Bool { isCurrent.map { !$0() } ?? false }

    var isWanted: Bool { !isOver && !isSuperseded }

    /// Tells the caller of a task that took over.
    func announce(_ task: DownloadTask) {
        state.withLock { $0.caller?.downloadTaskUpdated }?(task)
    }

    // MARK: Sources

    var failoverPlan: FailoverPlan {
        FailoverPlan(
            alternatives: options.alternativeSources ?? [], lowDataSource: options.lowDataModeSource,
            hasStrategy: options.retryStrategy != nil)
    }

    func begin(_ source: Source, _ plan: FailoverPlan) -> any RouteStages {
        let avoidsNetwork = plan.hasLowDataSource && parts.networkMonitor.isMetered
        let (task, arrivals) = state.withLock { ($0.task, $0.firstArrivals.take()) }
        let stages = SourceStages(
            source, of: self, task: arrivals == nil ? nil : task,
            arrivals: targetCache.arrivals.mark(at: arrivals ?? targetCache.arrivals.count),
            avoidsNetwork: avoidsNetwork)
        let (old, isOver) = state.withLock { state in
            defer { if !state.isOver { state.stages = stages } }
            return (state.stages, state.isOver)
        }
        // It cancels nothing any more; the caller's goes on.
        if let old, old.task !== task { old.task.end() }
        if isOver { stages.task.cancel() }
        return stages
    }

    nonisolated(nonsending) func decision(after failure: PropagationError) async throws(KingfisherError)
        -> RetryDecision
    {
        guard let strategy = options.retryStrategy else { return .stop }
        let first = RetryContext(
            source: source, error: failure.error,
            isForMain: options.isForView || options.callbackQueue.isMain)
        let context = state.withLock { state in
            let context = state.retryContext ?? first
            state.retryContext = context
            return context
        }
        context.noteFailure(failure.error)
        let decision = try await wait { [self] (resume: Resume<RetryDecision>) in
            let question = RetryQuestion { resume($0) }
            addCleanup { [weak question] in
                if question?.withdraw() == true { context.abandon() }
                return nil
            }
            question.put(to: strategy, about: context)
        }
        if case .retry(let userInfo) = decision {
            context.noteRetry(userInfo: userInfo)
            KingfisherEvents.report(
                .requestRetried(
                    source: source.eventName, attempt: context.retriedCount, error: failure.error))
        }
        return decision
    }

    // MARK: Waiting

    /// Has `cleanup` called when the source that is being loaded is given up, or the request is over; at once
    /// where it is. The outcome is reported after the end of what `cleanup` stops.
    func addCleanup(_ cleanup: @escaping @Sendable () -> Latch?) {
        let isOver = state.withLock { state in
            if !state.isOver { state.cleanups.append(cleanup) }
            return state.isOver
        }
        if isOver { _ = cleanup() }
    }

    /// Cleans up after a source that failed.
    func endSource() {
        Self.run(
            state.withLock { state in
                defer { state.cleanups = [] }
                return state.cleanups
            })
    }

    /// At most one of them stops something: a route waits for one thing at a time.
    @discardableResult
    private static func run(_ cleanups: [@Sendable () -> Latch?]) -> Latch? {
        cleanups.reduce(nil) { ending, cleanup in cleanup() ?? ending }
    }

    /// Waits until what `begin` starts has called `resume`, and goes on there.
    ///
    /// `begin` runs when the route is suspended, on the thread that it has run on. Throws when the request is
    /// over before `resume` was called, or nothing is left that could call it.
    nonisolated(nonsending) func wait<Value: Sendable>(
        _ begin: @escaping @Sendable (Resume<Value>) -> Void
    ) async throws(KingfisherError) -> Value {
        guard let value = await wait({ begin(Resume(wait: $0)) }) as? Value else {
            throw .cacheError(reason: .imageNotExisting(key: source.cacheKey))
        }
        return value
    }

    nonisolated(nonsending) private func wait(_ begin: @escaping @Sendable (Wait) -> Void) async -> (
        any Sendable
    )? {
        await withUnsafeContinuation { continuation in
            let isOver = state.withLock { state in
                guard !state.isOver else { return true }
                state.waitNumber += 1
                state.continuation = continuation
                state.beginning = Beginning(thread: pthread_self(), number: state.waitNumber, begin: begin)
                return false
            }
            if isOver { continuation.resume(returning: nil) }
        }
    }

    fileprivate func resume(_ number: Int, with value: (any Sendable)?) {
        let continuation = state.withLock { state in
            state.waitNumber == number ? state.continuation.take() : nil
        }
        continuation?.resume(returning: value)
    }

    // MARK: Running

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Runs a part of the route on this thread, and then begins what that waits for.
    ///
    /// Not before it waits: what is over at once, on another thread, would have the route go on here
    /// otherwise, in the call of the user for one, which must return first.
    private func run(_ part: () -> Void) {
        let thread = pthread_self()
        let isNested = state.withLock { state in
            defer { state.threads.append(thread) }
            return state.threads.contains(thread)
        }
        probe?(.run(on: thread))
        part()
        // What is over at once, on this thread, goes on within `begin`; a loop serves it, however often.
        while !isNested, let beginning = takeBeginning(on: thread) {
            beginning.begin(Wait(of: self, beginning.number))
        }
        state.withLock { state in
            if let index = state.threads.lastIndex(of: thread) { state.threads.remove(at: index) }
        }
    }

    /// What the route waits for since it has run on this thread, unless that is over.
    private func takeBeginning(on thread: pthread_t) -> Beginning? {
        // One that is not to begin any more is released outside the lock.
        let (beginning, isWaiting) = state.withLock { state -> (Beginning?, Bool) in
            guard state.beginning?.thread == thread else { return (nil, false) }
            return (state.beginning.take(), state.continuation != nil)
        }
        return isWaiting ? beginning : nil
    }

    /// One wait of a route, which ends with the first call of `resume`, or with this object.
    // Not generic, as its continuation is not: a request has several, and the metadata of generic types would
    // be looked up for each.
    final class Wait: Sendable {
        private let request: ImageRequest
        private let number: Int

        fileprivate init(of request: ImageRequest, _ number: Int) {
            self.request = request
            self.number = number
        }

        deinit { resume(with: nil) }

        func resume(with value: (any Sendable)?) { request.resume(number, with: value) }
    }
}

/// Ends the wait of a route with a value, on this thread; the first call counts.
struct Resume<Value: Sendable>: Sendable {
    fileprivate let wait: ImageRequest.Wait

    func callAsFunction(_ value: Value) { wait.resume(with: value) }
}
