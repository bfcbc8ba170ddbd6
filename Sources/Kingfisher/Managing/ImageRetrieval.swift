import Foundation
import KingfisherImage
import Synchronization

/// One request: fetches from the source that was asked for and, when that fails, from those that may stand in for it.
///
/// One `SourceRetrieval` at a time is under way; a `FailoverPlan` says which source comes next. The request is
/// reported once, after the last of them, and the task that the caller holds cancels whichever it is.
final class ImageRetrieval: Sendable {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    let originalSource: Source
    let options: KingfisherParsedOptionsInfo
    let targetCache: ImageCache
    let originalCache: ImageCache
    let downloader: ImageDownloader
    let processingQueue: CallbackQueue
    let progressBlock: DownloadProgressBlock?
    let startTime = ContinuousClock.now
    private let networkMonitor: NetworkMonitor
    private let isCurrent: (@Sendable () -> Bool)?
    private let state: Mutex<State>

    /// Who waits for the outcome.
    private struct Waiting: Sendable {
        let downloadTaskUpdated: DownloadTaskUpdatedBlock?
        let completion: (@Sendable (Outcome) -> Void)?
    }

    private struct State: Sendable {
        /// Nil once the request is reported: what the caller passed in must not outlive it.
        var waiting: Waiting?
        var plan: FailoverPlan
        /// What `start` returned. Weak, because it holds the source's retrieval in turn.
        weak var task: DownloadTask?
        var isCancelled = false
        var next: Source?
        var isAdvancing = false
    }

    init(
        source: Source, options: KingfisherParsedOptionsInfo, manager: KingfisherManager,
        progressBlock: DownloadProgressBlock?, downloadTaskUpdated: DownloadTaskUpdatedBlock?,
        isCurrent: (@Sendable () -> Bool)?, completion: (@Sendable (Outcome) -> Void)?
    ) {
        originalSource = source
        self.options = options
        self.progressBlock = progressBlock
        self.isCurrent = isCurrent
        targetCache = options.targetCache ?? manager.cache
        originalCache = options.originalCache ?? targetCache
        downloader = options.downloader ?? manager.downloader
        processingQueue = options.processingQueue ?? manager.processingQueue
        networkMonitor = manager.networkMonitor
        state = Mutex(
            State(
                waiting: Waiting(downloadTaskUpdated: downloadTaskUpdated, completion: completion),
                plan: FailoverPlan(
                    alternatives: options.alternativeSources ?? [], lowDataSource: options.lowDataModeSource)
            ))
    }

    /// Begins with what memory had; the task cancels whatever goes on.
    func start(from hit: MemoryHit?) -> DownloadTask {
        let retrieval = SourceRetrieval(of: originalSource, for: self)
        let task = DownloadTask(cancelWork: { retrieval.cancel($0) })
        state.withLock { $0.task = task }
        retrieval.start(task, from: hit)
        return task
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

    /// Takes one source's outcome: reports it, or goes on to the next source.
    func end(_ retrieval: SourceRetrieval, task: DownloadTask?, with outcome: Outcome) {
        if task !== self.task { task?.end() }
        guard case .failure(let error) = outcome else { return report(outcome) }
        let isStale = isStale
        let (step, isCancelled) = state.withLock { state -> (FailoverPlan.Step, Bool) in
            guard !isStale, !state.isCancelled else { return (.fail(error), state.isCancelled) }
            return (state.plan.step(after: PropagationError(source: retrieval.source, error: error)), false)
        }
        switch step {
        case .load(let source):
            advance(to: source)
        case .fail(let error):
            // Cancelled just after this source had failed for a reason of its own.
            let isTooLate = isCancelled && !error.isUserCancellation
            report(.failure(isTooLate ? retrieval.cancellationError(task) : error))
        }
    }

    /// Goes on to `source`. A source may fail before its retrieval's start returns, and so may a thousand in a row:
    /// they are started by one loop, not each within the other.
    private func advance(to source: Source) {
        let isAdvancing = state.withLock { state in
            state.next = source
            defer { state.isAdvancing = true }
            return state.isAdvancing
        }
        guard !isAdvancing else { return }
        while let source = takeNext() { standIn(source) }
    }

    private func takeNext() -> Source? {
        state.withLock { state in
            defer { state.next = nil }
            state.isAdvancing = state.next != nil
            return state.next
        }
    }

    /// Fetches from a source that stands in for the one asked for.
    private func standIn(_ source: Source) {
        let retrieval = SourceRetrieval(of: source, for: self)
        let task = DownloadTask(
            cancelWork: { retrieval.cancel($0) }, whenLinked: { _ in retrieval.announceTask() })
        self.task?.redirectCancel { task.cancel() }
        // Cancelled between the two sources, and let go of.
        if state.withLock(\.isCancelled) { task.cancel() }
        guard !retrieval.isOver else { return }
        retrieval.start(task, from: retrieval.memoryHit)
    }

    /// Reports `outcome` on the caller's queue.
    private func report(_ outcome: Outcome) {
        let (waiting, task) = state.withLock { state in
            defer { state.waiting = nil }
            return (state.waiting, state.task)
        }
        task?.end()
        if let completion = waiting?.completion { options.report(outcome, to: completion) }
    }
}
