import KingfisherConcurrency
import Dispatch
import Synchronization

/// The failures of one request, for a retry strategy. All attempts of the request share this object.
///
/// Safe from any thread.
public final class RetryContext: Sendable {
    private struct State: Sendable {
        var retriedCount = 0
        var onlineRetries = 0
        var isAbandoned = false
        var userInfo = UserInfo(value: nil)
        var latestError: KingfisherError
    }

    /// A value that a strategy stores from one failure to the next. Unchecked: only the strategy uses it, for
    /// one failure at a time.
    private struct UserInfo: @unchecked Sendable {
        let value: Any?
    }

    /// The requested source.
    public let source: Source
    /// The failure of the first attempt.
    public let error: KingfisherError
    /// The queue on which a strategy of this library delivers a delayed decision.
    ///
    /// The main queue if the request's callbacks use it. Otherwise a background queue: a server's main thread
    /// may be blocked, and network changes announced on the main thread must not put work there.
    let decisionQueue: CallbackQueue
    private let state: Mutex<State>

    init(source: Source, error: KingfisherError, isForMain: Bool = true) {
        self.source = source
        self.error = error
        decisionQueue = isForMain ? .mainAsync : .dispatch(.global())
        state = Mutex(State(latestError: error))
    }

    /// The number of retries before this failure; 0 at the first. Each retry adds one to a value that was
    /// set.
    public var retriedCount: Int {
        get { state.withLock(\.retriedCount) }
        set { state.withLock { $0.retriedCount = newValue } }
    }

    /// The user info of the last decision; nil at the first failure. The next decision replaces a value that
    /// was set.
    public var userInfo: Any? {
        get { state.withLock(\.userInfo).value }
        set { replaceUserInfo(with: newValue) }
    }

    /// The failure to decide about.
    ///
    /// Not part of the original library.
    public var latestError: KingfisherError { state.withLock(\.latestError) }

    func noteFailure(_ error: KingfisherError) { state.set(\.latestError, to: error) }

    func noteRetry(userInfo: Any?) {
        state.withLock { $0.retriedCount += 1 }
        replaceUserInfo(with: userInfo)
    }

    func takeOnlineRetry(of limit: Int) -> Bool {
        state.withLock { state in
            guard state.onlineRetries < limit else { return false }
            state.onlineRetries += 1
            return true
        }
    }

    func replaceUserInfo(with userInfo: Any?) {
        // In this order, so that a concurrent `abandon` sees one or the other. Both may cancel.
        state.set(\.userInfo, to: UserInfo(value: userInfo))
        if state.withLock(\.isAbandoned) { (userInfo as? NetworkObserver)?.cancel() }
    }

    /// Cancels a wait for the network, running or started concurrently: the request no longer needs a
    /// decision.
    func abandon() {
        let userInfo = state.withLock { state in
            state.isAbandoned = true
            return state.userInfo
        }
        (userInfo.value as? NetworkObserver)?.cancel()
    }
}
