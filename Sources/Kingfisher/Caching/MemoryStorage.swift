public import Foundation
public import KingfisherStorage
import Synchronization

/// Storage of values in memory.
public enum MemoryStorage {
    /// Keeps values in memory until they expire or make room for others.
    ///
    /// Who goes first is up to `Config.evictionPolicy`. Safe from any thread; every call is answered at once
    /// and never waits for I/O. An expired value is invisible, but counts until `removeExpired()` or the
    /// periodic sweep. Values are let go outside the lock, so that one that is going may use the storage.
    /// Keys are the same when their UTF-8 is.
    public final class Backend<T: CacheCostCalculable & Sendable>: Sendable {
        @usableFromInline let engine: MemoryEngine<T, AnyEvictionPolicy>
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

        /// The limits; setting them acts at once on what is stored, and so does another policy.
        public var config: Config {
            get { settings.withLock { $0 } }
            set {
                let dropped = settings.withLock { config in
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
                withExtendedLifetime(dropped) {}
            }
        }

        /// Removes every expired value.
        public func removeExpired() {
            engine.removeExpired()
        }

        /// Removes values, those that the eviction policy gives up first, until all costs add up to at most
        /// `cost`.
        public func trim(toCost cost: Int) {
            engine.trim(toCost: cost)
        }

        /// Keeps `value`; one that costs more than `config` allows is not kept and displaces no other key's.
        @inlinable
        public func store(value: T, forKey key: String, expiration: StorageExpiration? = nil) {
            engine.store(value, cost: value.cacheCost, for: key, expiration: expiration)
        }

        /// The value, unless it has expired; its expiration moves as `extendingExpiration` says.
        @inlinable
        public func value(
            forKey key: String, extendingExpiration: ExpirationExtending = .cacheTime
        ) -> T? {
            engine.value(for: key, extending: extendingExpiration)
        }

        /// Whether there is a value that has not expired; extends nothing.
        @inlinable
        public func isCached(forKey key: String) -> Bool {
            engine.isCached(key)
        }

        /// Removes the value.
        @inlinable
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
        /// The most that all costs may add up to; 0 for no limit. For images the cost is bytes of pixels.
        public var totalCostLimit: Int
        /// The most values; 0 for no limit.
        public var countLimit: Int = .max
        /// Which values go first when a limit is reached.
        ///
        /// On a storage in use another policy takes over all values, in the order in which the old one would
        /// have given them up.
        public var evictionPolicy: EvictionPolicy = .sizeAware
        /// The largest share of `totalCostLimit` that one value may take, from 0 to 1; nil for all of it.
        ///
        /// With a tenth, say, a panorama that would drive out half of what is shown is not kept at all.
        /// Without a `totalCostLimit` there is nothing to share.
        public var maximumEntryShare: Double?
        /// How long values are kept when a call does not say.
        public var expiration: StorageExpiration = .seconds(300)
        /// How often expired values are swept, in seconds.
        public var cleanInterval: TimeInterval
        /// Kept for source compatibility; programs on Linux are not sent to the background.
        public var keepWhenEnteringBackground: Bool = false

        /// Limits costs, in bytes for images, and sweeps every `cleanInterval` seconds.
        public init(totalCostLimit: Int, cleanInterval: TimeInterval = 120) {
            self.totalCostLimit = totalCostLimit
            self.cleanInterval = cleanInterval
        }

        var limits: MemoryLimits {
            MemoryLimits(cost: totalCostLimit, count: countLimit, entryShare: maximumEntryShare)
        }
    }
}
