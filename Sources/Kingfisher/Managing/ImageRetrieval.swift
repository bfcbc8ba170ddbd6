import Foundation
import KingfisherImage
import Synchronization

/// One request: fetches from the source that was asked for and, when that fails, from those that may stand in
/// for it.
///
/// One `SourceRetrieval` at a time is under way; when it fails, a `FailoverPlan` and the retry strategy say
/// what comes next. The request is reported once, after the last of them, and the task that the caller holds
/// cancels whichever it is, or the wait for the strategy.
final class ImageRetrieval: Sendable {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    let originalSource: Source
    let options: KingfisherParsedOptionsInfo
    let targetCache: ImageCache
    let originalCache: ImageCache
    let downloader: ImageDownloader
    let processingQueue: CallbackQueue
    let admission: AdmissionControl?
    let tiers: TierStack?
    let readsFileURLs: Bool
    let progressBlock: SendableProgressBlock?
    let startTime = ContinuousClock.now
    /// Whether this is nobody's request: it renews in the background what one was answered with.
    let isRenewal: Bool
    private let networkMonitor: NetworkMonitor
    private let isCurrent: (@Sendable () -> Bool)?
    let state: Mutex<State>

    /// Who waits for the outcome.
    struct Waiting: Sendable {
        let downloadTaskUpdated: DownloadTaskUpdatedBlock?
        let completion: (@Sendable (Outcome) -> Void)?
    }

    struct State: Sendable {
        /// Nil once the request is reported: what the caller passed in must not outlive it.
        var waiting: Waiting?
        var plan: FailoverPlan
        /// What `start` returned. Weak, because it holds the source's retrieval in turn.
        weak var task: DownloadTask?
        var isCancelled = false
        /// One for all attempts; nil before the first failure.
        var retryContext: RetryContext?
        /// What the strategy was asked last. Weak: it is the strategy's to hold, and holds this request.
        weak var question: RetryQuestion?
        var next: Source?
        var isAdvancing = false
    }

    init(
        source: Source, options: KingfisherParsedOptionsInfo, manager: KingfisherManager,
        progressBlock: SendableProgressBlock?, downloadTaskUpdated: DownloadTaskUpdatedBlock?,
        isCurrent: (@Sendable () -> Bool)?, completion: (@Sendable (Outcome) -> Void)?
    ) {
        originalSource = source
        self.options = options
        self.progressBlock = progressBlock
        self.isCurrent = isCurrent
        isRenewal = false
        targetCache = options.targetCache ?? manager.cache
        originalCache = options.originalCache ?? targetCache
        downloader = options.downloader ?? manager.downloader
        readsFileURLs = manager.readsFileURLs(through: downloader)
        processingQueue = options.processingQueue ?? manager.processingQueue
        networkMonitor = manager.networkMonitor
        admission = manager.admission
        tiers = manager.tierStack
        state = Mutex(
            State(
                waiting: Waiting(downloadTaskUpdated: downloadTaskUpdated, completion: completion),
                plan: FailoverPlan(
                    alternatives: options.alternativeSources ?? [], lowDataSource: options.lowDataModeSource,
                    hasStrategy: options.retryStrategy != nil)
            ))
    }

    /// Renews what `request` is answered with; its observer hears of a new picture.
    init(renewing source: Source, for request: ImageRetrieval, forcesRefresh: Bool) {
        originalSource = source
        var options = request.options.ofRenewal
        if forcesRefresh { options.forceRefresh = true }
        self.options = options
        progressBlock = nil
        isCurrent = nil
        isRenewal = true
        targetCache = request.targetCache
        originalCache = request.originalCache
        downloader = request.downloader
        readsFileURLs = request.readsFileURLs
        processingQueue = request.processingQueue
        networkMonitor = request.networkMonitor
        admission = request.admission
        tiers = request.tiers
        let observer = request.options.renewalObserver
        state = Mutex(
            State(
                waiting: Waiting(downloadTaskUpdated: nil) { result in
                    if let observer, case .success(let renewed) = result { observer(renewed) }
                },
                plan: FailoverPlan(alternatives: [], lowDataSource: nil)))
    }

    /// Begins with what memory had; the task cancels whatever goes on, and is nil where that was the end.
    func start(from hit: MemoryHit?) -> DownloadTask? {
        let retrieval = SourceRetrieval(of: originalSource, for: self)
        let task = DownloadTask(cancelWork: { retrieval.cancel($0) })
        state.withLock { $0.task = task }
        retrieval.start(task, from: hit)
        // A subclass may answer at once, too.
        return (hit?.picture != nil || targetCache.isSubclass) && retrieval.isOver ? nil : task
    }

    /// What the caller got to cancel the request by, while somebody holds it.
    var task: DownloadTask? { state.withLock(\.task) }

    /// Whether a newer request took this one's place.
    var isStale: Bool { isCurrent.map { !$0() } ?? false }

    /// Whether to leave a metered network alone, because a lighter source is at hand.
    var sparesNetwork: Bool { state.withLock(\.plan.hasLowDataSource) && networkMonitor.isMetered }

    /// Takes note that the user gave the request up, so that no further source is tried.
    func noteCancelled() {
        state.withLock { $0.isCancelled = true }
    }

    /// Tells the caller of a task that took over.
    func announce(_ task: DownloadTask) {
        state.withLock { $0.waiting?.downloadTaskUpdated }?(task)
    }

    /// Reports `outcome` on the caller's queue.
    func report(_ outcome: Outcome) {
        let (waiting, task) = state.withLock { state in
            defer { state.waiting = nil }
            return (state.waiting, state.task)
        }
        task?.end()
        if !isRenewal {
            KingfisherEvents.report(.end(of: originalSource, outcome, duration: startTime.secondsAgo))
        }
        if let completion = waiting?.completion { options.report(outcome, to: completion) }
    }
}
