import Synchronization

/// One failure that a retry strategy was asked about. Safe from any thread.
///
/// The first answer counts. A strategy that lets go of its handler can answer no more, and has thereby said
/// `.stop`: the request must not wait for ever.
final class RetryQuestion: Sendable {
    private let decide: Mutex<(@Sendable (RetryDecision) -> Void)?>

    init(_ decide: @escaping @Sendable (RetryDecision) -> Void) {
        self.decide = Mutex(decide)
    }

    deinit { answer(.stop) }

    /// Puts the question to `strategy`, unless it was taken back before.
    func put(to strategy: any RetryStrategy, about context: RetryContext) {
        guard decide.withLock({ $0 != nil }) else { return }
        strategy.retry(context: context) { self.answer($0) }
    }

    /// Hands `decision` on, if it is the first and the question still stands.
    func answer(_ decision: RetryDecision) {
        decide.withLock { $0.take() }?(decision)
    }

    /// Takes the question back; false when it was answered before.
    func withdraw() -> Bool {
        // Released outside the lock: it holds the request.
        let decide = decide.withLock { $0.take() }
        return decide != nil
    }
}
