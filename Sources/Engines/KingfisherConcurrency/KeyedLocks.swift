public import Synchronization

/// Striped locks: one caller at a time for each key, different keys in parallel, and a barrier that excludes
/// all keys.
///
/// A key's hash selects one of 32 locks, so unrelated keys sometimes wait for each other. A barrier takes all
/// locks in ascending order.
@usableFromInline
package struct KeyedLocks: Sendable {
    @usableFromInline final class Stripe: Sendable {
        @usableFromInline let lock = Mutex<Void>(())
    }

    @usableFromInline let stripes: [Stripe] = (0..<32).map { _ in Stripe() }

    package init() {}

    @inlinable
    package func withLock<R: Sendable, E: Error>(
        _ hash: UInt64, _ body: () throws(E) -> R
    ) throws(E) -> R {
        try stripe(of: hash).lock.withLock { _ throws(E) -> R in try body() }
    }

    @inlinable
    package func withLockIfAvailable(_ hash: UInt64, _ body: () -> Void) -> Bool {
        stripe(of: hash).lock.withLockIfAvailable { _ in body() } != nil
    }

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
