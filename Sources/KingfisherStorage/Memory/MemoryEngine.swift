public import Foundation
public import Synchronization

/// A memory cache with limits on cost and count, expiration per entry and an exchangeable eviction policy.
///
/// Safe to use from any thread; every call is synchronous, does no I/O and holds one short lock. Values are
/// released after the lock is given back, so a value's `deinit` may use the cache. `value`, `isCached`,
/// `store` and `remove` take constant time (amortised, and with one step per entry that a store drives out);
/// `removeExpired` visits every entry.
///
/// An entry that expired is invisible at once but counts towards the limits until a sweep removes it.
@usableFromInline
package final class MemoryEngine<Value: Sendable, Policy: EvictionPolicy>: Sendable {
    @usableFromInline let state: Mutex<MemoryState<Value, Policy>>
    @usableFromInline let clock: any StorageClock
    private let sweepTimer = SweepTimer()

    /// Makes an empty cache that removes expired entries every `sweepInterval` seconds.
    ///
    /// - Parameters:
    ///   - sweepInterval: zero, less, or not a finite number: no periodic sweep.
    ///   - policy: one that does not know any entry yet.
    package init(
        limits: MemoryLimits, sweepInterval: TimeInterval, policy: Policy,
        clock: any StorageClock = WallClock()
    ) {
        self.state = Mutex(MemoryState(limits: limits, policy: policy))
        self.clock = clock
        setSweepInterval(sweepInterval)
    }

    /// Stores a value under a key, replacing what was there; an expired lifetime stores nothing.
    ///
    /// A value whose cost exceeds the whole limit is not kept, and drives no other entry out.
    package func store(_ value: Value, cost: Int, for key: String, expiration: StorageExpiration) {
        let now = clock.now
        guard !expiration.isExpired(at: now) else { return }
        let dropped = state.withLock {
            $0.store(value, cost: cost, for: key, lifetime: expiration, now: now)
        }
        withExtendedLifetime(dropped) {}
    }

    /// The value under a key, unless there is none or it expired; reading counts as a use.
    @inlinable
    package func value(for key: String, extending: ExpirationExtending = .cacheTime) -> Value? {
        let now = clock.now
        return state.withLock { $0.value(for: key, extending: extending, now: now) }
    }

    /// Whether `value(for:)` would find something; neither extends the lifetime nor counts as a use.
    package func isCached(_ key: String) -> Bool {
        guard let expiration = expiration(of: key) else { return false }
        return expiration > clock.now
    }

    /// When the entry under a key expires or expired; nil when there is none.
    package func expiration(of key: String) -> Date? {
        state.withLock { $0.expiration(of: key) }
    }

    package func remove(_ key: String) {
        let dropped = state.withLock { $0.remove(key) }
        withExtendedLifetime(dropped) {}
    }

    /// Evicts, in the policy's order, until the sum of costs is at most `cost`. The limits stay as they are.
    package func trim(toCost cost: Int) {
        let dropped = state.withLock { $0.trim(toCost: cost) }
        withExtendedLifetime(dropped) {}
    }

    package func removeAll() {
        let dropped = state.withLock { $0.removeAll() }
        withExtendedLifetime(dropped) {}
    }

    /// Removes every entry that has expired. The periodic sweep does the same.
    package func removeExpired() {
        let now = clock.now
        let dropped = state.withLock { $0.removeExpired(now: now) }
        withExtendedLifetime(dropped) {}
    }

    /// The sum of the costs of all entries, expired ones included until they are removed.
    package var totalCost: Int { state.withLock { $0.totalCost } }

    /// The number of entries, expired ones included until they are removed.
    package var count: Int { state.withLock { $0.count } }

    /// Changes the limits and evicts at once what no longer fits.
    package func setLimits(_ limits: MemoryLimits) {
        let dropped = state.withLock { $0.apply(limits) }
        withExtendedLifetime(dropped) {}
    }

    /// Restarts the periodic sweep with a new interval, in seconds.
    package func setSweepInterval(_ interval: TimeInterval) {
        sweepTimer.start(every: interval) { [weak self] in self?.removeExpired() }
    }
}
