import Synchronization

/// Counts from one, across threads.
final class Counter: Sendable {
    private let value = Atomic(0)

    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
}
