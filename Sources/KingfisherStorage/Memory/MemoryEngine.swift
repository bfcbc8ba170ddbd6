import Dispatch
public import Foundation
public import Synchronization

/// A memory cache with limits on cost and count, expiration per entry and an exchangeable eviction policy.
///
/// Safe to use from any thread; every call is synchronous, does no I/O and holds one short lock. Values are
/// released after the lock is given back, so a value's `deinit` may use the cache. `value`, `isCached`,
/// `store` and `remove` take constant time (amortised, and with one step per entry that a store drives out);
/// `removeExpired`, lower limits and another policy visit every entry. Keys are the same when their UTF-8 is.
///
/// An entry that expired is invisible at once but counts towards the limits until a sweep removes it.
@usableFromInline
package final class MemoryEngine<Value: Sendable, Policy: EvictionPolicy>: Sendable {
    @usableFromInline let state: Mutex<MemoryState<Value, Policy>>
    @usableFromInline let clock: any StorageClock
    /// Then `clock` is not asked: a call of a protocol costs as much as reading the time.
    @usableFromInline let followsWallClock: Bool
    @usableFromInline let hash = KeyHash()
    private let sweepTimer = SweepTimer()

    /// Makes an empty cache that removes expired entries every `sweepInterval` seconds.
    ///
    /// - Parameters:
    ///   - sweepInterval: zero, less, or not a finite number: no periodic sweep.
    ///   - policy: one that does not know any entry yet.
    ///   - expiration: of entries that are stored without one.
    package init(
        limits: MemoryLimits, sweepInterval: TimeInterval, policy: Policy,
        expiration: StorageExpiration = .never, clock: any StorageClock = WallClock()
    ) {
        self.state = Mutex(MemoryState(limits: limits, policy: policy, lifetime: Lifetime(expiration)))
        self.clock = clock
        followsWallClock = clock is WallClock
        setSweepInterval(sweepInterval)
    }

    /// Seconds since the reference date.
    @inlinable var now: Double {
        followsWallClock ? WallClock.recentSeconds : clock.now.timeIntervalSinceReferenceDate
    }

    /// Stores a value under a key, replacing what was there; an expired lifetime stores nothing.
    ///
    /// A value that costs more than one may is not kept, and drives no other entry out; what its key held
    /// before goes all the same.
    @inlinable
    package func store(
        _ value: Value, cost: Int, for key: String, expiration: StorageExpiration? = nil
    ) {
        let (now, keyHash, lifetime) = (now, hash(key), expiration.map { Lifetime($0) })
        let dropped = state.withLock {
            $0.store(value, cost: cost, for: key, hash: keyHash, lifetime: lifetime, now: now)
        }
        withExtendedLifetime(dropped) {}
    }

    /// The value under a key, unless there is none or it expired; reading counts as a use.
    @inlinable
    package func value(for key: String, extending: ExpirationExtending = .cacheTime) -> Value? {
        let (now, keyHash) = (now, hash(key))
        return state.withLock { $0.value(for: key, hash: keyHash, extending: extending, now: now) }
    }

    /// Whether `value(for:)` would find something; neither extends the lifetime nor counts as a use.
    @inlinable
    package func isCached(_ key: String) -> Bool {
        let (now, keyHash) = (now, hash(key))
        let expires = state.withLock { $0.expiration(of: key, hash: keyHash) }
        return expires.map { $0 > now } ?? false
    }

    /// When the entry under a key expires or expired; nil when there is none.
    package func expiration(of key: String) -> Date? {
        let keyHash = hash(key)
        let expires = state.withLock { $0.expiration(of: key, hash: keyHash) }
        return expires.map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    @inlinable
    package func remove(_ key: String) {
        let keyHash = hash(key)
        let dropped = state.withLock { $0.remove(key, hash: keyHash) }
        withExtendedLifetime(dropped) {}
    }

    /// A copy of all entries, expired ones included, in no order.
    package var entries: [(key: String, value: Value)] { state.withLock { $0.entries } }

    /// Evicts, in the policy's order, until the sum of costs is at most `cost`. The limits stay as they are.
    package func trim(toCost cost: Int) {
        let dropped = state.withLock { $0.trim(toCost: cost) }
        withExtendedLifetime(dropped) {}
    }

    package func removeAll() {
        let dropped = state.withLock { $0.removeAll() }
        _ = consume dropped
    }

    /// Removes every entry that has expired. The periodic sweep does the same.
    package func removeExpired() {
        let now = now
        let dropped = state.withLock { $0.removeExpired(now: now) }
        withExtendedLifetime(dropped) {}
    }

    /// The sum of the costs of all entries, expired ones included until they are removed.
    package var totalCost: Int { state.withLock { $0.totalCost } }

    /// The number of entries, expired ones included until they are removed.
    package var count: Int { state.withLock { $0.count } }

    /// Changes what is not nil, in one step, and returns what no longer fits: evicted at once, and released
    /// by the caller, who may hold a lock of its own.
    ///
    /// - Parameters:
    ///   - policy: one that does not know any entry yet; it learns of all.
    ///   - expiration: of entries that are stored from now on.
    @discardableResult
    package func configure(
        limits: MemoryLimits? = nil, policy: Policy? = nil, expiration: StorageExpiration? = nil
    ) -> DroppedValues<Value> {
        state.withLock { state in
            if let expiration { state.lifetime = Lifetime(expiration) }
            if let policy { state.adopt(policy) }
            return if let limits { state.apply(limits) } else { DroppedValues() }
        }
    }

    /// Restarts the periodic sweep with a new interval, in seconds.
    package func setSweepInterval(_ interval: TimeInterval) {
        sweepTimer.start(every: interval) { [weak self] in self?.removeExpired() }
    }
}

/// Calls a closure on a background queue again and again, without a run loop, until it is released.
final class SweepTimer: Sendable {
    private static let longestInterval: TimeInterval = 365 * StorageExpiration.secondsPerDay

    private let timer = Mutex<(any DispatchSourceTimer)?>(nil)

    /// Starts over with an interval in seconds; one that is not positive and finite only stops.
    func start(every interval: TimeInterval, _ action: @escaping @Sendable () -> Void) {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
            guard interval > 0, interval.isFinite else { return }
            let seconds = min(interval, Self.longestInterval)
            let source = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
            source.setEventHandler(handler: action)
            source.schedule(
                deadline: .now() + seconds, repeating: seconds,
                leeway: .milliseconds(Int(min(1, seconds / 10) * 1000)))
            source.activate()
            timer = source
        }
    }

    deinit {
        timer.withLock { $0?.cancel() }
    }
}
