import Dispatch
import Foundation
import KingfisherTestSupport
import Synchronization
import Testing

/// Collects what callbacks deliver, and lets a test wait for it without blocking a thread.
///
///     let inbox = Inbox<Int>()
///     startSomething { inbox.put($0) }
///     let value = try await inbox.first()
package final class Inbox<Value: Sendable>: Sendable {
    package struct Late: Error {
        let wanted: Int
        let received: Int
    }

    private struct State: Sendable {
        package var values: [Value] = []
        var waiters: [Int: (wanted: Int, continuation: CheckedContinuation<[Value], any Error>)] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    package init() {}

    package func put(_ value: Value) {
        let (values, ready) = state.withLock { state in
            state.values.append(value)
            let count = state.values.count
            let ready = state.waiters.filter { $0.value.wanted <= count }
            for id in ready.keys { state.waiters[id] = nil }
            return (state.values, ready.values.map(\.continuation))
        }
        for continuation in ready { continuation.resume(returning: values) }
    }

    package var values: [Value] { state.withLock(\.values) }

    package var count: Int { state.withLock(\.values.count) }

    /// Waits for `count` values. Throws `Late` after `limit` seconds, or four times as many under a
    /// sanitizer and in `make test-busy`.
    package func first(_ count: Int, upTo limit: Double = 20) async throws -> [Value] {
        try await withCheckedThrowingContinuation { continuation in
            let waiter = state.withLock { state -> Int? in
                guard state.values.count < count else { return nil }
                state.lastWaiter += 1
                state.waiters[state.lastWaiter] = (count, continuation)
                return state.lastWaiter
            }
            guard let waiter else { return continuation.resume(returning: values) }
            let timeout = limit * Double(ProcessStatus.slowness)
            DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { [self] in
                let (late, received) = state.withLock { state in
                    (state.waiters.removeValue(forKey: waiter), state.values.count)
                }
                late?.continuation.resume(throwing: Late(wanted: count, received: received))
            }
        }
    }

    package func first() async throws -> Value {
        try #require(try await first(1).first)
    }
}

extension Inbox where Value == Void {
    package func put() { put(()) }
}

/// Waits for the single value that `start` passes to its callback.
package func outcome<Value: Sendable>(
    _ start: (@escaping @Sendable (Value) -> Void) -> Void
) async throws -> Value {
    let inbox = Inbox<Value>()
    start { inbox.put($0) }
    return try await inbox.first()
}

/// Waits until all blocks now in the main queue have run.
package func passMainQueue() async {
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
}
