import Foundation
import Glibc
import KingfisherConcurrency
import KingfisherImage
import Synchronization

/// One request for an image: its source and options, its completion handler, and its cancellation.
///
/// A request runs its `RequestPipeline` and completes exactly once, with the pipeline's outcome or with a
/// cancellation, whichever comes first. Safe from any thread.
///
/// The request is the task executor of its pipeline. It has no dedicated thread: the pipeline starts on the
/// caller's thread, and after each wait it resumes on the thread that completed the wait, as a completion
/// handler would. Disk reads, downloads, decoding and processing run on the queues of `LiveStages`.
final class ImageRequest: RequestPipeline.Request, TaskExecutor {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    /// The dependencies of a request, from its options or else from its manager.
    struct Parts: Sendable {
        let targetCache: ImageCache
        let originalCache: ImageCache
        let downloader: ImageDownloader
        let processingQueue: CallbackQueue
        let networkMonitor: NetworkMonitor
        let admission: AdmissionControl?
        let tiers: TierStack?
        let cacheKeyRule: CacheKeyRule?
        let readsFileURLs: Bool
    }

    let plan: RequestPlan
    private let parts: Parts
    let startTime = ContinuousClock.now
    let isRenewal: Bool
    let probe = ImageRequest.probe
    /// For tests: gets each step of the requests that are made in the current task.
    @TaskLocal static var probe: (@Sendable (Step) -> Void)?
    private let state: Mutex<State>

    private typealias Continuation = UnsafeContinuation<(any Sendable)?, Never>

    private struct PendingStart: Sendable {
        /// The thread that ran the pipeline up to the wait, and starts the work.
        let thread: pthread_t
        let waitNumber: Int
        let start: @Sendable (Wait) -> Void
    }

    /// A step that tests count, because repeating it costs time.
    enum Step: Equatable, Sendable {
        case memoryLookup(String)
        case diskLookup(String)
        case pendingWriteLookup(String)
        /// The pipeline runs on this thread until its next wait.
        case run(on: pthread_t)
    }

    struct Caller: Sendable {
        let downloadTaskUpdated: DownloadTaskUpdatedBlock?
        let completion: (@Sendable (Outcome) -> Void)?
    }

    private struct State: Sendable {
        /// Nil once the request has completed, so that the caller's closures do not outlive it.
        var caller: Caller?
        /// The task that the caller got. Weak, because it holds the request.
        weak var task: DownloadTask?
        /// `ImageCache.insertions` when the manager looked in memory; nil once the first source uses it.
        var firstInsertions: UInt64?
        var stages: LiveStages?
        var retryContext: RetryContext?
        var cleanups: [@Sendable () -> Latch?] = []
        var continuation: Continuation?
        var waitNumber = 0
        var pendingStart: PendingStart?
        /// The threads in `run`, outermost first.
        var threads: [pthread_t] = []

        var isOver: Bool { caller == nil }
    }

    init(
        _ plan: RequestPlan, _ parts: Parts, completion: (@Sendable (Outcome) -> Void)?
    ) {
        var plan = plan
        let caller = Caller(downloadTaskUpdated: plan.downloadTaskUpdated.take(), completion: completion)
        self.plan = plan
        isRenewal = false
        self.parts = parts
        state = Mutex(State(caller: caller))
    }

    /// Makes a background request for a newer image than `request` has delivered. The `renewalObserver` of
    /// that request gets the image.
    init(renewing source: Source, for request: ImageRequest, forcesRefresh: Bool) {
        plan = request.plan.renewal(of: source, forcesRefresh: forcesRefresh)
        isRenewal = true
        parts = request.parts
        let observer = request.plan.renewalObserver
        state = Mutex(
            State(
                caller: Caller(downloadTaskUpdated: nil) { result in
                    if let observer, case .success(let renewed) = result { observer(renewed) }
                }))
    }

    /// Starts the request. Returns the task that cancels it, or nil if it has completed with an image from
    /// memory.
    ///
    /// - Parameters:
    ///   - hit: The manager's hit in memory.
    ///   - insertions: `ImageCache.insertions` before the manager looked in memory.
    func start(from hit: MemoryHit?, lookedUpAt insertions: UInt64) -> DownloadTask? {
        let task = DownloadTask(cancelWork: { [self] _ in cancel() })
        state.withLock { ($0.task, $0.firstInsertions) = (task, insertions) }
        if !options.forceRefresh { probe?(.memoryLookup(source.cacheKey)) }
        run {
            _ = Task.immediateDetached(executorPreference: self) {
                await RequestPipeline(request: self).run(from: hit)
            }
        }
        // A cache subclass may also complete synchronously.
        return (hit?.image != nil || targetCache.isSubclass) && isOver ? nil : task
    }

    func start(_ renewal: Renewal) {
        run {
            _ = Task.immediateDetached(executorPreference: self) {
                await RequestPipeline(request: self).renew(renewal)
            }
        }
    }

    var source: Source { plan.source }
    var options: KingfisherParsedOptionsInfo { plan.options }
    var targetCache: ImageCache { parts.targetCache }
    var originalCache: ImageCache { parts.originalCache }
    var downloader: ImageDownloader { parts.downloader }
    var processingQueue: CallbackQueue { parts.processingQueue }
    var admission: AdmissionControl? { parts.admission }
    var tiers: TierStack? { parts.tiers }
    var readsFileURLs: Bool { parts.readsFileURLs }

    // MARK: Completion

    func cancel() {
        guard let stages = state.withLock({ $0.isOver ? nil : $0.stages }) else { return }
        end(with: .failure(.cancelled(stages.source, task: stages.task)))
        stages.task.cancel()
    }

    @discardableResult
    func finish(with result: PipelineResult) -> Bool { end(with: .success(result.result)) }

    func fail(with error: KingfisherError) { end(with: .failure(error)) }

    /// Completes the request, unless it has completed already. The completion handler runs after the work
    /// that the cleanups stop has ended.
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

    /// The question that stages ask before they go on.
    var isWanted: Bool { !isOver && plan.isCurrent?() != false }

    /// The same before an image is made. A superseded request makes the image of a source, which is stored.
    func isWanted(for kind: ProcessingInput.Kind) -> Bool { kind == .source ? !isOver : isWanted }

    func announce(_ task: DownloadTask) {
        state.withLock { $0.caller?.downloadTaskUpdated }?(task)
    }

    // MARK: Sources

    var failoverPlan: FailoverPlan {
        FailoverPlan(
            alternatives: options.alternativeSources?.map(keyed) ?? [],
            lowDataSource: options.lowDataModeSource.map(keyed),
            hasStrategy: options.retryStrategy != nil)
    }

    /// The manager has done this for the requested source.
    private func keyed(_ source: Source) -> Source {
        parts.cacheKeyRule.flatMap(source.keyed) ?? source
    }

    var cacheKeyRule: CacheKeyRule? { parts.cacheKeyRule }

    /// Whether the key is not the URL's, but the one that the rule computes.
    func hasKeyByRule(_ resource: any Resource) -> Bool {
        let keyed = parts.cacheKeyRule.flatMap(Source.network(resource.downloadURL).keyed)
        return keyed?.cacheKey == resource.cacheKey
    }

    func begin(_ source: Source, _ plan: FailoverPlan) -> any PipelineStages {
        let avoidsNetwork = plan.hasLowDataSource && parts.networkMonitor.isMetered
        let (task, insertions) = state.withLock { ($0.task, $0.firstInsertions.take()) }
        let stages = LiveStages(
            source, of: self, task: insertions == nil ? nil : task,
            insertions: targetCache.insertions.mark(at: insertions ?? targetCache.insertions.count),
            avoidsNetwork: avoidsNetwork)
        let (old, isOver) = state.withLock { state in
            defer { if !state.isOver { state.stages = stages } }
            return (state.stages, state.isOver)
        }
        // The task of the previous attempt must cancel nothing; the caller's stays valid.
        if let old, old.task !== task { old.task.end() }
        if insertions == nil { task?.sharePriority(with: stages.task) }
        if isOver { stages.task.cancel() }
        return stages
    }

    nonisolated(nonsending) func decision(after failure: PropagationError) async throws(KingfisherError)
        -> RetryDecision
    {
        guard let strategy = options.retryStrategy else { return .stop }
        let first = RetryContext(
            source: source, error: failure.error,
            isForMain: plan.isForView || options.callbackQueue.isMain)
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

    /// Runs `cleanup` when the current source fails or the request ends; immediately if it has ended.
    ///
    /// A latch that `cleanup` returns opens when the work it stops has ended. The request completes after
    /// that.
    func addCleanup(_ cleanup: @escaping @Sendable () -> Latch?) {
        let isOver = state.withLock { state in
            if !state.isOver { state.cleanups.append(cleanup) }
            return state.isOver
        }
        if isOver { _ = cleanup() }
    }

    func endSource() {
        Self.run(
            state.withLock { state in
                defer { state.cleanups = [] }
                return state.cleanups
            })
    }

    /// Returns one latch, because a pipeline waits for one operation at a time.
    @discardableResult
    private static func run(_ cleanups: [@Sendable () -> Latch?]) -> Latch? {
        cleanups.reduce(nil) { ending, cleanup in cleanup() ?? ending }
    }

    /// Suspends the pipeline until the work that `start` begins calls `resume`, and resumes it on that
    /// thread.
    ///
    /// `start` runs on the current thread, after the pipeline is suspended. Throws if the request ends first,
    /// or if every copy of `resume` is released without a call.
    nonisolated(nonsending) func wait<Value: Sendable>(
        _ start: @escaping @Sendable (Resume<Value>) -> Void
    ) async throws(KingfisherError) -> Value {
        guard let value = await wait({ start(Resume(wait: $0)) }) as? Value else {
            throw .cacheError(reason: .imageNotExisting(key: source.cacheKey))
        }
        return value
    }

    nonisolated(nonsending) private func wait(_ start: @escaping @Sendable (Wait) -> Void) async -> (
        any Sendable
    )? {
        await withUnsafeContinuation { continuation in
            let isOver = state.withLock { state in
                guard !state.isOver else { return true }
                state.waitNumber += 1
                state.continuation = continuation
                state.pendingStart = PendingStart(
                    thread: pthread_self(), waitNumber: state.waitNumber, start: start)
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

    /// Runs the pipeline on this thread until it waits, and then starts the work that it waits for.
    ///
    /// The work is started only when the pipeline is suspended. Otherwise the pipeline could resume here,
    /// perhaps inside a call of the user that has to return first, even though another thread completed the
    /// work.
    private func run(_ segment: () -> Void) {
        let thread = pthread_self()
        let isNested = state.withLock { state in
            defer { state.threads.append(thread) }
            return state.threads.contains(thread)
        }
        probe?(.run(on: thread))
        segment()
        // Work that completes synchronously runs the next segment inside `start`. The loop then starts the
        // work of that segment, so that the stack does not grow.
        while !isNested, let pending = takePendingStart(on: thread) {
            pending.start(Wait(of: self, pending.waitNumber))
        }
        state.withLock { state in
            if let index = state.threads.lastIndex(of: thread) { state.threads.remove(at: index) }
        }
    }

    private func takePendingStart(on thread: pthread_t) -> PendingStart? {
        // Work that must not start any more is released outside the lock.
        let (pending, isWaiting) = state.withLock { state -> (PendingStart?, Bool) in
            guard state.pendingStart?.thread == thread else { return (nil, false) }
            return (state.pendingStart.take(), state.continuation != nil)
        }
        return isWaiting ? pending : nil
    }

    /// One wait of a pipeline. It ends with the first call of `resume`, or when this object is released.
    // Not generic, because each generic instance would cost a metadata lookup.
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

/// Resumes a waiting pipeline with a value, on the current thread. Further calls have no effect.
struct Resume<Value: Sendable>: Sendable {
    fileprivate let wait: ImageRequest.Wait

    func callAsFunction(_ value: Value) { wait.resume(with: value) }
}
