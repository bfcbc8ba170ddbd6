public import Synchronization

/// Locks for keys: one caller at a time for a key, different keys in parallel, and a barrier excludes
/// everything.
///
/// Keys share a fixed number of locks by their hashes, so two keys can have the same one; they wait then, no
/// more. A barrier takes every lock in ascending order and so needs none of its own.
@usableFromInline
package struct KeyedLocks: Sendable {
    @usableFromInline final class Stripe: Sendable {
        @usableFromInline let lock = Mutex<Void>(())
    }

    @usableFromInline let stripes: [Stripe] = (0..<32).map { _ in Stripe() }

    package init() {}

    /// Runs `body` while nothing else runs for this hash, and no barrier.
    @inlinable
    package func withLock<R: Sendable, E: Error>(
        _ hash: UInt64, _ body: () throws(E) -> R
    ) throws(E) -> R {
        try stripe(of: hash).lock.withLock { _ throws(E) -> R in try body() }
    }

    /// Runs `body` like `withLock`, unless that had to wait; returns whether it did.
    @inlinable
    package func withLockIfAvailable(_ hash: UInt64, _ body: () -> Void) -> Bool {
        stripe(of: hash).lock.withLockIfAvailable { _ in body() } != nil
    }

    /// Runs `body` while nothing else runs.
    @inlinable
    package func withBarrier<R: Sendable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try withLocks(from: 0, body)
    }

    @inlinable
    func stripe(of hash: UInt64) -> Stripe { stripes[Int(hash % UInt64(stripes.count))] }

    @inlinable
    func withLocks<R: Sendable, E: Error>(from index: Int, _ body: () throws(E) -> R) throws(E) -> R {
        guard index < stripes.count else { return try body() }
        return try stripes[index].lock.withLock { _ throws(E) -> R in try withLocks(from: index + 1, body) }
    }
}
