import Synchronization

/// A thread-safe counter.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    func add() { count.wrappingAdd(1, ordering: .relaxed) }

    var value: Int { count.load(ordering: .relaxed) }
}
