import Foundation

/// Runs a body on a thread of its own, and returns what it returns.
///
/// For what has to happen in time: tests that block may keep the pool's threads for seconds. Expectations
/// belong outside, where the test is known.
func onOwnThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<T, any Error>) in
        Thread.detachNewThread { done.resume(with: Result { try body() }) }
    }
}
