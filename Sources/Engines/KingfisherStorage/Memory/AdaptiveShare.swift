/// The share of a cache for entries that have not been used again, adapted to the workload.
///
/// Like ARC (Megiddo, Modha: "ARC: a self-tuning, low overhead replacement cache", FAST 2003): an entry that
/// returns soon after its eviction shows that its part was too short. A return is weighted by how rare
/// evictions from its part are; otherwise the part that evicts more would always grow.
struct AdaptiveShare: Sendable {
    /// A feed needs a long queue, independent requests a short one. Neither part may starve.
    static let bounds = 0.02...0.9
    /// The fraction of a returning entry's weight that moves the share. A fraction of 1 follows noise and
    /// measures worse.
    private static let pace = 0.125

    private(set) var share = 0.1
    /// The weight evicted from each part, halved from time to time so that old evictions count less.
    private var evictedFromSmall = 1.0
    private var evictedFromMain = 1.0

    func of(_ total: Int) -> Int {
        Int(share * Double(total))
    }

    /// - Parameter total: The weight of all entries before the eviction.
    mutating func noteEviction(from origin: GhostTable.Origin, weight: Int, total: Int) {
        switch origin {
        case .small: evictedFromSmall += Double(weight)
        case .main: evictedFromMain += Double(weight)
        }
        if evictedFromSmall + evictedFromMain > 2 * Double(total) {
            evictedFromSmall /= 2
            evictedFromMain /= 2
        }
    }

    mutating func noteReturn(to origin: GhostTable.Origin, weight: Int, total: Int) {
        let step = Self.pace * Double(weight) / Double(max(1, total))
        switch origin {
        case .small: share += step * max(1, evictedFromMain / evictedFromSmall)
        case .main: share -= step * max(1, evictedFromSmall / evictedFromMain)
        }
        share = min(max(share, Self.bounds.lowerBound), Self.bounds.upperBound)
    }
}
