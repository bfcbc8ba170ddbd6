/// The part of a cache that new entries get before they are used again, as it turns out to serve.
///
/// As ARC does (Megiddo, Modha: "ARC: a self-tuning, low overhead replacement cache", FAST 2003): an entry
/// that comes back soon after it was evicted says that the part it was in was too short. What one return says
/// is weighted by how rare evictions from that part are, or the part that evicts more would always grow.
struct AdaptiveShare: Sendable {
    /// A feed is served by a long queue, independent requests by a short one; neither is to starve the other.
    static let bounds = 0.02...0.9
    /// How much of its weight an entry that came back moves. A whole one follows noise: it measures worse.
    private static let pace = 0.125

    private(set) var share = 0.1
    /// What was evicted from each part, the older the less it counts.
    private var evictedFromSmall = 1.0
    private var evictedFromMain = 1.0

    /// What is due of `total`.
    func of(_ total: Int) -> Int {
        Int(share * Double(total))
    }

    /// An entry was evicted from a cache that held `total`.
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

    /// An entry came back that was evicted not long ago.
    mutating func noteReturn(to origin: GhostTable.Origin, weight: Int, total: Int) {
        let step = Self.pace * Double(weight) / Double(max(1, total))
        switch origin {
        case .small: share += step * max(1, evictedFromMain / evictedFromSmall)
        case .main: share -= step * max(1, evictedFromSmall / evictedFromMain)
        }
        share = min(max(share, Self.bounds.lowerBound), Self.bounds.upperBound)
    }
}
