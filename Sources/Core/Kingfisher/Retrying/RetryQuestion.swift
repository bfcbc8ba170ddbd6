import Synchronization

/// A pending decision of a retry strategy about one failure. Safe from any thread.
///
/// The first answer counts. If the strategy releases its handler without an answer, the decision is `.stop`,
/// so that the request cannot wait forever.
final class RetryQuestion: Sendable {
    private let decide: Mutex<(@Sendable (RetryDecision) -> Void)?>

    init(_ decide: @escaping @Sendable (RetryDecision) -> Void) {
        self.decide = Mutex(decide)
    }

    deinit { answer(.stop) }

    func put(to strategy: any RetryStrategy, about context: RetryContext) {
        guard decide.withLock({ $0 != nil }) else { return }
        strategy.retry(context: context) { self.answer($0) }
    }

    func answer(_ decision: RetryDecision) {
        decide.withLock { $0.take() }?(decision)
    }

    func withdraw() -> Bool {
        // Released outside the lock: it holds the request.
        let decide = decide.withLock { $0.take() }
        return decide != nil
    }
}
