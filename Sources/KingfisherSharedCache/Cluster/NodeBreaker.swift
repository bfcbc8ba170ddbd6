package import Kingfisher
import Synchronization

/// The circuit breaker of a node, which its connections share. Safe from any thread.
package final class NodeBreaker: Sendable {
    private let environment: TierEnvironment
    private let breaker = Mutex(CircuitBreaker())

    package init(_ environment: TierEnvironment) { self.environment = environment }

    package func permits() -> Bool { breaker.withLock { $0.permits(at: environment.instant()) } }

    package func succeed() { breaker.withLock { $0.succeed() } }

    package func fail() {
        let jitter = environment.jitter()
        breaker.withLock { $0.fail(at: environment.instant(), jitter: jitter) }
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
