import Foundation
import KingfisherImage
import Synchronization

/// One source's way: memory, disk, the original on disk, the source itself; then storing.
///
/// Each stage ends by starting the next or by `finish`, which hands the first outcome to the request and drops later
/// ones, so that a cancellation may come at any moment.
final class SourceRetrieval: Sendable {
    typealias Outcome = ImageRetrieval.Outcome

    let source: Source
    let request: ImageRetrieval
    let providerLoad = ProviderLoad()
    private let state = Mutex(State())

    private struct State: Sendable {
        var isOver = false
        /// Weak, because it holds this in turn, and a provider may never answer.
        weak var task: DownloadTask?
        /// The task while the caller has to hear of it yet.
        var newTask: DownloadTask?
    }

    init(of source: Source, for request: ImageRetrieval) {
        self.source = source
        self.request = request
    }

    var options: KingfisherParsedOptionsInfo { request.options }

    /// Answers with what memory had, or goes on to the disk and the source; `task` is the caller's to cancel it
    /// by.
    func start(_ task: DownloadTask, from hit: MemoryHit?) {
        state.withLock { $0.task = task }
        if let hit {
            finish(with: hit)
        } else if options.forceRefresh {
            load(task)
        } else {
            askCaches(task)
        }
    }

    /// Goes to the source, unless only caches may be asked or nobody waits any more.
    func load(_ task: DownloadTask) {
        guard isWanted, !(options.onlyFromCache && !options.forceRefresh) else {
            return finish(.failure(notExisting))
        }
        // The caller has the task of the source that was asked for.
        if task !== request.task { state.withLock { $0.newTask = $0.isOver ? nil : task } }
        switch source {
        case .network where request.sparesNetwork:
            finish(.failure(.constrained))
        case .network(let resource):
            download(resource, task)
        case .provider(let provider):
            announceTask()
            supply(provider)
        }
    }

    /// Tells the caller of the task that took over, once.
    func announceTask() {
        if let task = state.withLock({ $0.newTask.take() }) { request.announce(task) }
    }

    /// Gives up for the user, through `task`.
    func cancel(_ task: DownloadTask) {
        request.noteCancelled()
        providerLoad.cancel()
        finish(.failure(cancellationError(task)))
    }

    /// Hands `outcome` on, if nothing was handed on before.
    func finish(_ outcome: Outcome) {
        let ended = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            defer {
                state.isOver = true
                state.newTask = nil
            }
            return state
        }
        guard let ended else { return }
        // A download may fail before it has a transfer; its task was new all the same.
        if let task = ended.newTask, let error = outcome.failure, !error.isUserCancellation {
            request.announce(task)
        }
        request.end(self, task: ended.task, with: outcome)
    }

    /// Whether something was handed on already.
    var isOver: Bool { state.withLock(\.isOver) }

    /// Whether somebody still waits for the picture; asked between the steps of a look at the disk.
    var isWanted: Bool { !isOver && !request.isStale }

    var notExisting: KingfisherError {
        .cacheError(reason: .imageNotExisting(key: source.cacheKey))
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
                        ?? SessionDataTask(request: URLRequest(url: resource.downloadURL)),
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
