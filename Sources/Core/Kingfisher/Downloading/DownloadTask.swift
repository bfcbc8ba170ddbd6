import KingfisherConcurrency
import Synchronization

/// Called with each new task that replaces the task of a request, on any thread.
public typealias DownloadTaskUpdatedBlock = (@Sendable (_ newTask: DownloadTask?) -> Void)

/// One caller's subscription to a load, for cancelling it.
///
/// Safe from any thread. A task may be returned before its download exists, for example while the disk cache
/// is read or an asynchronous request modifier runs. It is initialised once the download exists, and can be
/// cancelled at any time.
public final class DownloadTask: Sendable {
    private struct State: Sendable {
        var sessionTask: SessionDataTask?
        var token: SessionDataTask.CancelToken?
        var isCancelled = false
        var priority: Float?
        var cancelWork: (@Sendable (DownloadTask) -> Void)?
        var whenLinked: (@Sendable (DownloadTask) -> Void)?
        var successor: DownloadTask?
        weak var laterAttempt: DownloadTask?
    }

    private let state: Mutex<State>

    /// `cancelWork` stops work other than the transfer, and is called at most once. `whenLinked` is called
    /// once when the transfer exists, before the transfer starts.
    init(
        cancelWork: (@Sendable (DownloadTask) -> Void)? = nil,
        whenLinked: (@Sendable (DownloadTask) -> Void)? = nil
    ) {
        state = Mutex(State(cancelWork: cancelWork, whenLinked: whenLinked))
    }

    /// The transfer, shared with other callers of the same URL; nil until it exists.
    public var sessionTask: SessionDataTask? {
        let (own, successor) = state.withLock { ($0.sessionTask, $0.successor) }
        return successor?.sessionTask ?? own
    }

    /// This caller's token at the transfer; nil until the transfer exists.
    public var cancelToken: SessionDataTask.CancelToken? {
        let (own, successor) = state.withLock { ($0.token, $0.successor) }
        return successor?.cancelToken ?? own
    }

    /// Whether the transfer exists.
    public var isInitialized: Bool {
        let (own, successor) = state.withLock { ($0.sessionTask != nil && $0.token != nil, $0.successor) }
        return own || successor?.isInitialized == true
    }

    /// Cancels this caller's subscription.
    ///
    /// Its completion handler gets a cancellation error; other callers of the same transfer continue. Does
    /// nothing after completion.
    public func cancel() {
        let (sessionTask, token, work, successor) = state.withLock { state in
            state.isCancelled = true
            defer { state.cancelWork = nil }
            return (state.sessionTask, state.token, state.cancelWork, state.successor)
        }
        // The transfer may be complete while its image is still processed, so both are cancelled.
        if let sessionTask, let token { sessionTask.cancel(token: token) }
        work?(self)
        successor?.cancel()
    }

    /// Cancels the work that this task forwards to, and forwards to `other` instead.
    func suspend(for other: DownloadTask) {
        let work = state.withLock { state in state.successor.take() }
        work?.cancel()
        forward(to: other)
    }

    /// Changes the priority of this caller, now or once the transfer exists; nil selects the priority of its
    /// options again.
    func setPriority(_ priority: Float?) {
        let (sessionTask, token, successor, laterAttempt) = state.withLock { state in
            state.priority = priority
            return (state.sessionTask, state.token, state.successor, state.laterAttempt)
        }
        if let sessionTask, let token { apply(priority, to: sessionTask, token) }
        successor?.setPriority(priority)
        laterAttempt?.setPriority(priority)
    }

    /// Repeats if another thread has changed the priority in the meantime, so that the last change wins.
    private func apply(
        _ priority: Float?, to sessionTask: SessionDataTask, _ token: SessionDataTask.CancelToken
    ) {
        var priority = priority
        while true {
            sessionTask.setPriority(priority, of: token)
            let wanted = state.withLock(\.priority)
            guard wanted != priority else { return }
            priority = wanted
        }
    }

    /// Forwards everything to `other`, which does the work from now on. Cancels `other` if this task was
    /// cancelled.
    func forward(to other: DownloadTask) {
        let (isCancelled, priority) = state.withLock { state in
            state.successor = other
            return (state.isCancelled, state.priority)
        }
        end()
        if isCancelled { return other.cancel() }
        if let priority { other.setPriority(priority) }
    }

    /// Exposes the transfer of `other`, the task of a downloader subclass. Cancelling this task cancels
    /// `other` as well as this task's own work.
    func follow(_ other: DownloadTask) {
        let (isCancelled, whenLinked) = state.withLock { state in
            state.successor = other
            return (state.isCancelled, state.whenLinked.take())
        }
        if isCancelled { other.cancel() }
        whenLinked?(self)
    }

    /// Gives `other`, the task of a later attempt, the priority of this task from now on.
    func sharePriority(with other: DownloadTask) {
        let priority = state.withLock { state in
            state.laterAttempt = other
            return state.priority
        }
        if let priority { other.setPriority(priority) }
    }

    /// Replaces the work that cancelling stops. Calls `work` immediately if the task was cancelled before.
    func redirectCancel(to work: @escaping @Sendable () -> Void) {
        let (isCancelled, old) = state.withLock { state in
            let old = state.cancelWork.take()
            if !state.isCancelled { state.cancelWork = { _ in work() } }
            return (state.isCancelled, old)
        }
        withExtendedLifetime(old) {}
        if isCancelled { work() }
    }

    /// Releases the cancellation work: a task that the caller stores must not keep a finished load alive.
    func end() {
        state.release { ($0.cancelWork.take(), $0.whenLinked.take()) }
    }

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    func link(to sessionTask: SessionDataTask, token: SessionDataTask.CancelToken) -> Bool {
        let (whenLinked, priority) = state.withLock { state in
            state.sessionTask = sessionTask
            state.token = token
            defer { state.whenLinked = nil }
            return (state.whenLinked, state.priority)
        }
        if let priority { apply(priority, to: sessionTask, token) }
        whenLinked?(self)
        // `whenLinked` may have cancelled it.
        return !isCancelled
    }
}
