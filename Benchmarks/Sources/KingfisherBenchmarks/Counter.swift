import Synchronization

/// A thread-safe counter.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    func add(_ number: Int = 1) { count.wrappingAdd(number, ordering: .relaxed) }

    var value: Int { count.load(ordering: .relaxed) }
}
