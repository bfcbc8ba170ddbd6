import KingfisherConcurrency
public import Foundation
public import KingfisherStorage
import Synchronization

/// Storage of values in memory.
public enum MemoryStorage {
    /// A storage of values in memory, until they expire or are evicted.
    ///
    /// `Config.evictionPolicy` decides which values are evicted first. Safe from any thread. Every call is
    /// synchronous and does no I/O. An expired value is not returned, but it counts until `removeExpired()`
    /// or the periodic sweep. Values are released outside the lock, so that their deinitializers may use the
    /// storage. Keys are equal if their UTF-8 bytes are.
    public final class Backend<T: CacheCostCalculable & Sendable>: Sendable {
        @usableFromInline let engine: MemoryEngine<T, AnyEvictionPolicy>
        @usableFromInline let displayed = DisplayedImages()
        private let settings: Mutex<Config>

        /// Makes an empty storage.
        public convenience init(config: Config) {
            self.init(config: config, clock: WallClock())
        }

        package init(config: Config, clock: any StorageClock) {
            engine = MemoryEngine(
                limits: config.limits, sweepInterval: config.cleanInterval,
                policy: AnyEvictionPolicy(config.evictionPolicy.kind), expiration: config.expiration,
                clock: clock)
            settings = Mutex(config)
        }

        /// The settings. New limits and a new policy apply immediately to the stored values.
        public var config: Config {
            get { settings.withLock { $0 } }
            set {
                settings.release { config in
                    let old = config
                    config = newValue
                    if newValue.cleanInterval != old.cleanInterval {
                        engine.setSweepInterval(newValue.cleanInterval)
                    }
                    let policy = newValue.evictionPolicy
                    return engine.configure(
                        limits: newValue.limits,
                        policy: policy == old.evictionPolicy ? nil : AnyEvictionPolicy(policy.kind),
                        expiration: newValue.expiration)
                }
            }
        }

        /// Removes every expired value.
        public func removeExpired() {
            engine.removeExpired()
        }

        /// Evicts values, in the order of the eviction policy, until the total cost is at most `cost`.
        public func trim(toCost cost: Int) {
            engine.trim(toCost: cost)
        }

        /// Stores `value`. A value that costs more than `config` allows is not stored and evicts no others.
        @inlinable
        public func store(value: T, forKey key: String, expiration: StorageExpiration? = nil) {
            if !displayed.isEmpty { displayed.forget(key) }
            engine.store(value, cost: value.cacheCost, for: key, expiration: expiration)
        }

        /// Returns the value, or nil if it is missing or has expired. `extendingExpiration` says how the
        /// read moves the expiration. An image that was evicted is found while a view shows it.
        @inlinable
        public func value(
            forKey key: String, extendingExpiration: ExpirationExtending = .cacheTime
        ) -> T? {
            engine.value(for: key, extending: extendingExpiration)
                ?? (displayed.isEmpty ? nil : displayedValue(forKey: key))
        }

        /// Whether there is a value that has not expired. Does not move the expiration.
        @inlinable
        public func isCached(forKey key: String) -> Bool {
            engine.isCached(key) || !displayed.isEmpty && isDisplayed(key)
        }

        /// Removes the value.
        @inlinable
        public func remove(forKey key: String) {
            if !displayed.isEmpty { displayed.forget(key) }
            engine.remove(key)
        }

        /// Removes every value.
        public func removeAll() {
            displayed.forgetAll()
            engine.removeAll()
        }

        /// The total cost of all values, including expired ones that were not swept yet.
        public func totalCacheCost() -> Int {
            engine.totalCost
        }

        package func expiration(forKey key: String) -> Date? {
            engine.expiration(of: key)
        }
    }

    /// Limits of a storage in memory.
    public struct Config: Sendable {
        /// The maximum total cost; 0 for no limit. The cost of an image is the bytes of its pixels.
        public var totalCostLimit: Int
        /// The maximum number of values; 0 for no limit.
        public var countLimit: Int = .max
        /// Which values are evicted first when a limit is reached.
        ///
        /// If the policy of a storage in use changes, the new policy takes over all values, in the eviction
        /// order of the old one.
        public var evictionPolicy: EvictionPolicy = .sizeAware
        /// The maximum share of `totalCostLimit` for one value, from 0 to 1; nil for all of it.
        ///
        /// A larger value is not stored. With a share of 0.1, for example, a panorama cannot evict half of
        /// the images in use. Has no effect without a `totalCostLimit`.
        public var maximumEntryShare: Double?
        /// The expiration of values that are stored without one.
        public var expiration: StorageExpiration = .seconds(300)
        /// How often expired values are swept, in seconds.
        public var cleanInterval: TimeInterval
        /// Has no effect. It exists for source compatibility: programs on Linux do not enter the background.
        public var keepWhenEnteringBackground: Bool = false

        /// Makes settings with a cost limit, in bytes for images, and a sweep interval in seconds.
        public init(totalCostLimit: Int, cleanInterval: TimeInterval = 120) {
            self.totalCostLimit = totalCostLimit
            self.cleanInterval = cleanInterval
        }

        var limits: MemoryLimits {
            MemoryLimits(cost: totalCostLimit, count: countLimit, entryShare: maximumEntryShare)
        }
    }
}
