import Foundation

/// Runs a body on a separate thread, and returns its result.
///
/// For code that must run in time: blocking tests may occupy the pool's threads for seconds. Put expectations
/// outside the body, where the current test is known.
func onOwnThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<T, any Error>) in
        Thread.detachNewThread { done.resume(with: Result { try body() }) }
    }
}
