import Foundation
import Synchronization

/// A value that handlers change on any thread.
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

/// The value passed to a handler. If the handler is never called, the test exceeds its time limit.
func answer<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, from start: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    await withCheckedContinuation { continuation in
        start { continuation.resume(returning: $0) }
    }
}

/// A dispatch queue that can be identified from code that runs on it.
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
