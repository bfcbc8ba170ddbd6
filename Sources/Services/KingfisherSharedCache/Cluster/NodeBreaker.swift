package import Kingfisher
import Synchronization

/// The circuit breaker of a node, which its connections share. Its changes are events. Safe from any thread.
package final class NodeBreaker: Sendable {
    private let environment: TierEnvironment
    private let node: NodeAddress?
    private let breaker = Mutex(CircuitBreaker())

    /// - Parameter node: The name in events; nil to report none.
    package init(_ environment: TierEnvironment, of node: NodeAddress? = nil) {
        self.environment = environment
        self.node = node
    }

    package func permits() -> Bool {
        update { breaker, now in breaker.permits(at: now) }
    }

    package func succeed() {
        update { breaker, _ in breaker.succeed() }
    }

    package func fail() {
        let jitter = environment.jitter()
        update { breaker, now in breaker.fail(at: now, jitter: jitter) }
    }

    private func update<Result: Sendable>(
        _ change: (inout CircuitBreaker, ContinuousClock.Instant) -> Result
    ) -> Result {
        let now = environment.instant()
        let (result, before, after) = breaker.withLock { breaker in
            let before = breaker.phase
            let result = change(&breaker, now)
            return (result, before, breaker.phase)
        }
        if let node, before != after {
            KingfisherEvents.report(.tierNodeChanged(node: "\(node)", state: after.rawValue))
        }
        return result
    }

    /// Counts the error of a command. Failures of a connection are counted once, by the connection, and not
    /// for each command that waits on it.
    package func judge(_ error: RedisError) {
        switch error.code {
        case nil: break
        case "LOADING", "CLUSTERDOWN", "MASTERDOWN": fail()
        default: succeed()
        }
    }
}

extension TierEnvironment {
    /// From 0.8 to 1.2.
    func jitter() -> Double {
        var generator = generator
        return .random(in: 0.8...1.2, using: &generator)
    }
}
