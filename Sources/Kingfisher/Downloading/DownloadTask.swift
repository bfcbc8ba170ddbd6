import Synchronization

/// Called with each new task that takes over a request, on any thread.
public typealias DownloadTaskUpdatedBlock = (@Sendable (_ newTask: DownloadTask?) -> Void)

/// One caller's share of a load, to cancel it by.
///
/// Safe from any thread. A task may be handed out before its download has begun (while the disk is asked, or
/// an asynchronous request modifier works): it is initialised once the download exists, and cancels from the
/// start.
public final class DownloadTask: Sendable {
    private struct State: Sendable {
        var sessionTask: SessionDataTask?
        var token: SessionDataTask.CancelToken?
        var isCancelled = false
        var cancelWork: (@Sendable (DownloadTask) -> Void)?
        var whenLinked: (@Sendable (DownloadTask) -> Void)?
        /// The task that does the work of this one.
        var successor: DownloadTask?
    }

    private let state: Mutex<State>

    /// `cancelWork` stops what goes on before, after or instead of a transfer; it is called at most once.
    /// `whenLinked` hears, once, that the transfer exists, before that begins.
    init(
        cancelWork: (@Sendable (DownloadTask) -> Void)? = nil,
        whenLinked: (@Sendable (DownloadTask) -> Void)? = nil
    ) {
        state = Mutex(State(cancelWork: cancelWork, whenLinked: whenLinked))
    }

    /// The transfer that this caller shares with others of the same URL; nil before it exists.
    public var sessionTask: SessionDataTask? {
        let (own, successor) = state.withLock { ($0.sessionTask, $0.successor) }
        return successor?.sessionTask ?? own
    }

    /// This caller's number at the transfer; nil before it exists.
    public var cancelToken: SessionDataTask.CancelToken? {
        let (own, successor) = state.withLock { ($0.token, $0.successor) }
        return successor?.cancelToken ?? own
    }

    /// Whether the transfer exists.
    public var isInitialized: Bool {
        let (own, successor) = state.withLock { ($0.sessionTask != nil && $0.token != nil, $0.successor) }
        return own || successor?.isInitialized == true
    }

    /// Gives this caller's share up: its completion handler gets a cancellation error, others go on. Does
    /// nothing after completion.
    public func cancel() {
        let (sessionTask, token, work, successor) = state.withLock { state in
            state.isCancelled = true
            defer { state.cancelWork = nil }
            return (state.sessionTask, state.token, state.cancelWork, state.successor)
        }
        // The transfer may be over while its image is still processed, so the work hears of it as well.
        if let sessionTask, let token { sessionTask.cancel(token: token) }
        work?(self)
        successor?.cancel()
    }

    /// Becomes the shell of `other`, which does the work from now on; cancels it where this one was
    /// cancelled.
    func hand(to other: DownloadTask) {
        let isCancelled = state.withLock { state in
            state.successor = other
            return state.isCancelled
        }
        end()
        if isCancelled { other.cancel() }
    }

    /// Shows the transfer of `other`, which a user's downloader has made, and cancels it with this one's own
    /// work.
    func follow(_ other: DownloadTask) {
        let (isCancelled, whenLinked) = state.withLock { state in
            state.successor = other
            return (state.isCancelled, state.whenLinked.take())
        }
        if isCancelled { other.cancel() }
        whenLinked?(self)
    }

    /// Has cancelling stop something else from now on; at once if the task was cancelled before.
    func redirectCancel(to work: @escaping @Sendable () -> Void) {
        let (isCancelled, old) = state.withLock { state in
            let old = state.cancelWork.take()
            if !state.isCancelled { state.cancelWork = { _ in work() } }
            return (state.isCancelled, old)
        }
        withExtendedLifetime(old) {}
        if isCancelled { work() }
    }

    /// Lets go of what cancelling would have to stop: a task that is kept must not keep a finished load
    /// alive.
    func end() {
        // Released outside the lock: it may be the last reference to something of the user's.
        let work = state.withLock { state in
            defer { (state.cancelWork, state.whenLinked) = (nil, nil) }
            return (state.cancelWork, state.whenLinked)
        }
        withExtendedLifetime(work) {}
    }

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Ties the task to a transfer; false when it was cancelled before.
    func link(to sessionTask: SessionDataTask, token: SessionDataTask.CancelToken) -> Bool {
        let whenLinked = state.withLock { state in
            state.sessionTask = sessionTask
            state.token = token
            defer { state.whenLinked = nil }
            return state.whenLinked
        }
        whenLinked?(self)
        // It may have been cancelled by who heard of it.
        return !isCancelled
    }
}
