package import KingfisherStorage

extension MemoryStorage {
    /// Which values a full storage in memory evicts first.
    ///
    /// A new value is always stored, unless it costs more than the limits allow.
    public enum EvictionPolicy: Sendable, Hashable, CaseIterable {
        /// Evicts the value that was not stored or read for the longest time.
        ///
        /// Predictable, but scrolling once through many images evicts all images in use.
        case leastRecentlyUsed

        /// Evicts the values that save the least work for their bytes; the default.
        ///
        /// For costs that are bytes of pixels. Values that were read once do not evict values in use. Among
        /// the others, the policy weighs frequency and recency of use, and assumes that a miss costs a fixed
        /// amount, equivalent to 200 KB, plus its bytes.
        case sizeAware

        package var kind: AnyEvictionPolicy.Kind {
            switch self {
            case .leastRecentlyUsed: .leastRecentlyUsed
            case .sizeAware: .sizeAware
            }
        }
    }
}
