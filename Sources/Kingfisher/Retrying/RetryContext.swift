import Dispatch
import Synchronization

/// One request's failures, as a strategy sees them. The same object serves all attempts of one request.
///
/// Safe from any thread.
public final class RetryContext: Sendable {
    private struct State: Sendable {
        var retriedCount = 0
        /// How many of the retries `NetworkRetryStrategy` made although the machine was online.
        var onlineRetries = 0
        /// Whether nobody wants a decision any more.
        var isAbandoned = false
        var userInfo = UserInfo(value: nil)
        var latestError: KingfisherError
    }

    /// What a strategy keeps from one failure to the next. Unchecked: it is the strategy's own, which is
    /// asked about one failure at a time.
    private struct UserInfo: @unchecked Sendable {
        let value: Any?
    }

    /// The source that was asked for.
    public let source: Source
    /// The failure of the first attempt.
    public let error: KingfisherError
    /// Where a strategy of this library delivers a decision that it has waited for.
    ///
    /// The main queue, as users know it, where the request's callbacks go there. Another request may come
    /// from a server whose main thread is blocked for good, and must not wait for it; nor must it work on the
    /// main thread because news of the network are announced there.
    let decisionQueue: CallbackQueue
    private let state: Mutex<State>

    init(source: Source, error: KingfisherError, isForMain: Bool = true) {
        self.source = source
        self.error = error
        decisionQueue = isForMain ? .mainAsync : .dispatch(.global())
        state = Mutex(State(latestError: error))
    }

    /// How many retries there were before this failure; 0 at the first. Each retry adds one to what is set.
    public var retriedCount: Int {
        get { state.withLock(\.retriedCount) }
        set { state.withLock { $0.retriedCount = newValue } }
    }

    /// What the last decision carried; nil at the first failure. The next decision replaces what is set.
    public var userInfo: Any? {
        get { state.withLock(\.userInfo).value }
        set { keep(newValue) }
    }

    /// The failure that the strategy is asked about.
    ///
    /// Not part of the original library.
    public var latestError: KingfisherError { state.withLock(\.latestError) }

    /// Takes note of a failure, before the strategy is asked about it.
    func noteFailure(_ error: KingfisherError) {
        // The old values of all of these are released outside the lock.
        let old = state.withLock { state in
            defer { state.latestError = error }
            return state.latestError
        }
        withExtendedLifetime(old) {}
    }

    /// Takes note of a decision to try again.
    func noteRetry(userInfo: Any?) {
        state.withLock { $0.retriedCount += 1 }
        keep(userInfo)
    }

    /// Takes one of `limit` retries while online; false when there is none left.
    func takeOnlineRetry(of limit: Int) -> Bool {
        state.withLock { state in
            guard state.onlineRetries < limit else { return false }
            state.onlineRetries += 1
            return true
        }
    }

    /// Has the context carry `userInfo` from now on.
    func keep(_ userInfo: Any?) {
        let kept = UserInfo(value: userInfo)
        let (old, isAbandoned) = state.withLock { state in
            defer { state.userInfo = kept }
            return (state.userInfo, state.isAbandoned)
        }
        withExtendedLifetime(old) {}
        if isAbandoned { (userInfo as? NetworkObserver)?.cancel() }
    }

    /// Ends what a strategy of this library waits for, or begins to wait for at this moment: nobody wants its
    /// decision any more.
    func abandon() {
        let userInfo = state.withLock { state in
            state.isAbandoned = true
            return state.userInfo
        }
        (userInfo.value as? NetworkObserver)?.cancel()
    }
}
