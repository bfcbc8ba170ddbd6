import Foundation
import Synchronization

/// A value that handlers write on any thread and the program reads.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) {
        state = Mutex(value)
    }

    var value: Value { state.withLock { $0 } }

    @discardableResult
    func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        state.withLock { body(&$0) }
    }
}

/// What a handler is called with; fails the test's time limit when it never is.
func answer<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, from start: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    await withCheckedContinuation { continuation in
        start { continuation.resume(returning: $0) }
    }
}

/// A queue that code on it can tell from others.
struct MarkedQueue: Sendable {
    static let main = MarkedQueue(.main)
    private static let key = DispatchSpecificKey<String>()
    let queue: DispatchQueue
    private let mark = UUID().uuidString

    init(_ queue: DispatchQueue = DispatchQueue(label: "com.example.images")) {
        self.queue = queue
        queue.setSpecific(key: Self.key, value: mark)
    }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == mark }
}
