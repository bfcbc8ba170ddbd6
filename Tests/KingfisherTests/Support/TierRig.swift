import Foundation
import KingfisherTestSupport

@testable import Kingfisher

extension MemoryTier {
    /// A new tier that gives leases.
    static var leasing: MemoryTier {
        let tier = MemoryTier()
        tier.behaviour.givesLeases = true
        return tier
    }
}

/// A queue of writes whose tier never completes.
struct StuckQueue {
    let tier = MemoryTier()
    let queue: TierWriteQueue
    private let url = Bench.freshURL()
    private let collector: EventCollector

    init() {
        tier.behaviour.isStuck = true
        queue = TierWriteQueue(tier)
        collector = EventCollector(of: url)
    }

    /// The number of writes that were dropped.
    var dropped: Int { collector.failedTierWrites.count { $0 == "dropped" } }

    func key(_ number: Int) -> TierKey { TierKey(cacheKey: "\(url.absoluteString)#\(number)") }
}
