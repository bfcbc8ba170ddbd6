import Dispatch
public import Foundation
import KingfisherConcurrency
public import Synchronization

/// A memory cache with limits on cost and count, expiration per entry and an exchangeable eviction policy.
///
/// Safe to use from any thread. Every call is synchronous, does no I/O and holds one lock briefly. Values are
/// released after the lock, so a value's `deinit` may use the cache. `value`, `isCached`, `store` and
/// `remove` take constant time (amortised, plus one step per evicted entry). `removeExpired`, lower limits
/// and a new policy visit every entry. Keys are equal if their UTF-8 bytes are.
///
/// An expired entry is invisible immediately but counts towards the limits until a sweep removes it.
@usableFromInline
package final class MemoryEngine<Value: Sendable, Policy: EvictionPolicy>: Sendable {
    @usableFromInline let state: Mutex<MemoryState<Value, Policy>>
    @usableFromInline package let clock: any StorageClock
    /// Whether to read the time directly: a protocol call on `clock` costs as much as reading the time.
    @usableFromInline let followsWallClock: Bool
    @usableFromInline let hash = KeyHash()
    private let sweepTimer = SweepTimer()

    /// Creates an empty cache that removes expired entries every `sweepInterval` seconds.
    ///
    /// - Parameters:
    ///   - sweepInterval: If it is not positive and finite, there is no periodic sweep.
    ///   - policy: A policy without entries.
    ///   - expiration: The default for entries that are stored without one.
    package init(
        limits: MemoryLimits, sweepInterval: TimeInterval, policy: Policy,
        expiration: StorageExpiration = .never, clock: any StorageClock = WallClock()
    ) {
        self.state = Mutex(MemoryState(limits: limits, policy: policy, lifetime: NodeLifetime(expiration)))
        self.clock = clock
        followsWallClock = clock is WallClock
        setSweepInterval(sweepInterval)
    }

    @inlinable var now: Double {
        followsWallClock ? WallClock.recentSeconds : clock.now.timeIntervalSinceReferenceDate
    }

    /// Stores a value under a key, replacing the previous value. An expired lifetime stores nothing.
    ///
    /// A value that costs more than the limit for one entry is not stored and evicts nothing; the previous
    /// value of its key is removed anyway.
    @inlinable
    package func store(
        _ value: Value, cost: Int, for key: String, expiration: StorageExpiration? = nil
    ) {
        let (now, keyHash, lifetime) = (now, hash(key), expiration.map { NodeLifetime($0) })
        let dropped = state.withLock {
            $0.store(value, cost: cost, for: key, hash: keyHash, lifetime: lifetime, now: now)
        }
        withExtendedLifetime(dropped) {}
    }

    @inlinable
    package func value(for key: String, extending: ExpirationExtending = .cacheTime) -> Value? {
        let (now, keyHash) = (now, hash(key))
        return state.withLock { $0.value(for: key, hash: keyHash, extending: extending, now: now) }
    }

    /// Whether `value(for:)` would return a value. Neither extends the lifetime nor counts as a use.
    @inlinable
    package func isCached(_ key: String) -> Bool {
        let (now, keyHash) = (now, hash(key))
        let expires = state.withLock { $0.expiration(of: key, hash: keyHash) }
        return expires.map { $0 > now } ?? false
    }

    package func expiration(of key: String) -> Date? {
        let keyHash = hash(key)
        let expires = state.withLock { $0.expiration(of: key, hash: keyHash) }
        return expires.map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// The value of a key, maybe an expired one. Neither extends the lifetime nor counts as a use.
    package func peek(_ key: String) -> Value? {
        let keyHash = hash(key)
        return state.withLock { $0.peek(key, hash: keyHash) }
    }

    /// Stores a value unless the key has one, maybe an expired one.
    package func storeIfAbsent(
        _ value: Value, cost: Int, for key: String, expiration: StorageExpiration? = nil
    ) {
        let (now, keyHash, lifetime) = (now, hash(key), expiration.map { NodeLifetime($0) })
        state.release { state -> DroppedValues<Value>? in
            guard state.expiration(of: key, hash: keyHash) == nil else { return nil }
            return state.store(value, cost: cost, for: key, hash: keyHash, lifetime: lifetime, now: now)
        }
    }

    /// Removes the value of a key if it satisfies `condition`, which runs under the lock, so it must not call
    /// other code.
    package func remove(_ key: String, where condition: (Value) -> Bool) {
        let keyHash = hash(key)
        state.release { state -> DroppedValues<Value>? in
            guard state.peek(key, hash: keyHash).map(condition) == true else { return nil }
            return state.remove(key, hash: keyHash)
        }
    }

    @inlinable
    package func remove(_ key: String) {
        let keyHash = hash(key)
        let dropped = state.withLock { $0.remove(key, hash: keyHash) }
        withExtendedLifetime(dropped) {}
    }

    /// A copy of all entries, including expired ones, in no particular order.
    package var entries: [(key: String, value: Value)] { state.withLock { $0.entries } }

    package func trim(toCost cost: Int) {
        state.release { $0.trim(toCost: cost) }
    }

    package func removeAll() {
        let dropped = state.withLock { $0.removeAll() }
        _ = consume dropped
    }

    package func removeExpired() {
        let now = now
        state.release { $0.removeExpired(now: now) }
    }

    package var totalCost: Int { state.withLock { $0.totalCost } }

    package var count: Int { state.withLock { $0.count } }

    /// Changes all settings that are not nil, in one step. Returns the evicted values, for the caller to
    /// release outside its own locks.
    ///
    /// - Parameters:
    ///   - policy: A policy without entries; all entries are admitted to it.
    ///   - expiration: The default for entries that are stored from now on.
    @discardableResult
    package func configure(
        limits: MemoryLimits? = nil, policy: Policy? = nil, expiration: StorageExpiration? = nil
    ) -> DroppedValues<Value> {
        state.withLock { state in
            if let expiration { state.lifetime = NodeLifetime(expiration) }
            if let policy { state.adopt(policy) }
            return if let limits { state.apply(limits) } else { DroppedValues() }
        }
    }

    package func setSweepInterval(_ interval: TimeInterval) {
        sweepTimer.start(every: interval) { [weak self] in self?.removeExpired() }
    }
}

/// Calls a closure periodically on a background queue, without a run loop, until the timer is released.
final class SweepTimer: Sendable {
    private static let longestInterval: TimeInterval = 365 * StorageExpiration.secondsPerDay

    private let timer = Mutex<(any DispatchSourceTimer)?>(nil)

    /// Restarts the timer with an interval in seconds. An interval that is not positive and finite only stops
    /// it.
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
