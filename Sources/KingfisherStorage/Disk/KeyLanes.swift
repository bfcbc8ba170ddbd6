import Synchronization

/// Orders file operations: one at a time for a key, different keys side by side, and barriers across all.
///
/// Keys share a fixed number of locks, so two keys can meet in one lane; they wait then, no more. A barrier
/// takes every lane in ascending order and so excludes everything else without a lock of its own.
struct KeyLanes: Sendable {
    private final class Lane: Sendable {
        let lock = Mutex<Void>(())
    }

    private let lanes: [Lane] = (0..<32).map { _ in Lane() }

    /// Runs `body` while no other operation on this name and no barrier runs.
    func withLane<R: Sendable, E: Error>(of name: EntryName, _ body: () throws(E) -> R) throws(E) -> R {
        let lane = lanes[Int(name.digest % UInt64(lanes.count))]
        return try lane.lock.withLock { _ throws(E) -> R in try body() }
    }

    /// Runs `body` like `withLane`, unless that had to wait; says whether it did.
    func tryLane(of name: EntryName, _ body: () -> Void) -> Bool {
        lanes[Int(name.digest % UInt64(lanes.count))].lock.withLockIfAvailable { _ in body() } != nil
    }

    /// Runs `body` while nothing else runs.
    func withBarrier<R: Sendable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try withLanes(from: 0, body)
    }

    private func withLanes<R: Sendable, E: Error>(from index: Int, _ body: () throws(E) -> R) throws(E) -> R {
        guard index < lanes.count else { return try body() }
        return try lanes[index].lock.withLock { _ throws(E) -> R in try withLanes(from: index + 1, body) }
    }
}
