package import KingfisherStorage

extension MemoryStorage {
    /// Which values a storage in memory gives up when it is full.
    ///
    /// A new value always gets in, unless it is dearer than the limits allow.
    public enum EvictionPolicy: Sendable, Hashable, CaseIterable {
        /// Gives up the value whose last use, by store or read, is longest ago.
        ///
        /// Simple to foresee; but one scroll through many images drives out all that are in use.
        case leastRecentlyUsed

        /// Gives up early what was stored and hardly read, and keeps what is read again and again.
        ///
        /// S3-FIFO, of the SOSP 2023 paper "FIFO queues are all you need for cache eviction".
        case s3FIFO

        /// Keeps what saves most work for its bytes, where costs are bytes of pixels; the default.
        ///
        /// What was looked at once drives out nothing that is in use; among the rest, frequent and recent
        /// use counts, and a miss is taken to cost a fixed part, worth 200 KB, and its bytes.
        case sizeAware

        package var kind: AnyEvictionPolicy.Kind {
            switch self {
            case .leastRecentlyUsed: .leastRecentlyUsed
            case .s3FIFO: .s3FIFO
            case .sizeAware: .sizeAware
            }
        }
    }
}
