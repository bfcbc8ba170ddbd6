import Dispatch
import Foundation

/// The time, the random numbers and the executor of tiers.
///
/// The default is the environment of the process. A simulation passes its own, and then runs the same code
/// with the same outcome each time. All closures may be called from any thread.
package struct TierEnvironment: Sendable {
    package struct Generator: RandomNumberGenerator, Sendable {
        fileprivate let number: @Sendable () -> UInt64

        package func next() -> UInt64 { number() }
    }

    package var now: @Sendable () -> Date = { Date() }
    /// The monotonic clock.
    package var instant: @Sendable () -> ContinuousClock.Instant = { .now }
    package var randomNumber: @Sendable () -> UInt64 = {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
    /// Returns early if the current task is cancelled.
    package var sleep: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    /// Calls a closure once, after a delay.
    package var schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void = { delay, action in
        DispatchQueue.global().asyncAfter(deadline: .now() + delay.seconds, execute: action)
    }
    /// The executor of tasks; nil for the process's.
    package var executor: (any TaskExecutor)?

    package init() {}

    package var generator: Generator { Generator(number: randomNumber) }
}
