package import KingfisherStorage

extension MemoryStorage {
    /// Which values a storage in memory gives up when it is full.
    public enum EvictionPolicy: Sendable, Hashable, CaseIterable {
        /// Gives up the value whose last use, by store or read, is longest ago.
        case leastRecentlyUsed

        package var kind: ChosenPolicy.Kind {
            switch self {
            case .leastRecentlyUsed: .leastRecentlyUsed
            }
        }
    }
}
