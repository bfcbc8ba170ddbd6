public import Foundation
public import KingfisherStorage
import Synchronization

/// Storage of values in memory.
public enum MemoryStorage {
    /// Keeps values in memory until they expire or make room for others.
    ///
    /// `Config.evictionPolicy` says who goes first. Safe from any thread; every call is answered at once and
    /// never waits for I/O. An expired value is invisible, but counts until `removeExpired()` or the periodic sweep.
    public final class Backend<T: CacheCostCalculable & Sendable>: Sendable {
        @usableFromInline let engine: MemoryEngine<T, ChosenPolicy>
        private let settings: Mutex<Config>

        /// Makes an empty storage.
        public convenience init(config: Config) {
            self.init(config: config, clock: WallClock())
        }

        package init(config: Config, clock: any StorageClock) {
            engine = MemoryEngine(
                limits: config.limits, sweepInterval: config.cleanInterval,
                policy: ChosenPolicy(config.evictionPolicy.kind), clock: clock)
            settings = Mutex(config)
        }

        /// The limits; setting them acts at once on what is stored.
        public var config: Config {
            get { settings.withLock { $0 } }
            set {
                settings.withLock { $0 = newValue }
                engine.setLimits(newValue.limits)
                engine.setSweepInterval(newValue.cleanInterval)
            }
        }

        /// Removes every expired value.
        public func removeExpired() {
            engine.removeExpired()
        }

        /// Removes values, in the order of the eviction policy, until all costs add up to at most `cost`.
        public func trim(toCost cost: Int) {
            engine.trim(toCost: cost)
        }

        /// Keeps `value`; one that costs more than the whole limit is not kept and displaces nothing.
        public func store(value: T, forKey key: String, expiration: StorageExpiration? = nil) {
            engine.store(
                value, cost: value.cacheCost, for: key, expiration: expiration ?? config.expiration)
        }

        /// The value, unless it has expired; its expiration moves as `extendingExpiration` says.
        @inlinable
        public func value(
            forKey key: String, extendingExpiration: ExpirationExtending = .cacheTime
        ) -> T? {
            engine.value(for: key, extending: extendingExpiration)
        }

        /// Whether there is a value that has not expired; extends nothing.
        public func isCached(forKey key: String) -> Bool {
            engine.isCached(key)
        }

        /// Removes the value.
        public func remove(forKey key: String) {
            engine.remove(key)
        }

        /// Removes every value.
        public func removeAll() {
            engine.removeAll()
        }

        /// The costs of all values, of expired ones that were not swept yet as well.
        public func totalCacheCost() -> Int {
            engine.totalCost
        }

        /// When the value expires; nil when there is none.
        package func expiration(forKey key: String) -> Date? {
            engine.expiration(of: key)
        }
    }

    /// Limits of a storage in memory.
    public struct Config: Sendable {
        /// The most that all costs may add up to; 0 for no limit. For pictures the cost is bytes of pixels.
        public var totalCostLimit: Int
        /// The most values; 0 for no limit.
        public var countLimit: Int = .max
        /// Which values go first when a limit is reached; heeded when a storage is made, not when its
        /// configuration is changed.
        public var evictionPolicy: EvictionPolicy = .sizeAware
        /// How long values are kept when a call does not say.
        public var expiration: StorageExpiration = .seconds(300)
        /// How often expired values are swept, in seconds.
        public var cleanInterval: TimeInterval
        /// Kept for source compatibility; programs on Linux are not sent to the background.
        public var keepWhenEnteringBackground: Bool = false

        /// Limits costs, in bytes for pictures, and sweeps every `cleanInterval` seconds.
        public init(totalCostLimit: Int, cleanInterval: TimeInterval = 120) {
            self.totalCostLimit = totalCostLimit
            self.cleanInterval = cleanInterval
        }

        var limits: MemoryLimits { MemoryLimits(cost: totalCostLimit, count: countLimit) }
    }
}
