/// The limits of a memory cache. Zero or less means no limit, as with Apple's NSCache.
@usableFromInline
package struct MemoryLimits: Sendable, Equatable {
    package var cost: Int
    package var count: Int
    /// The maximum share of `cost` that one entry may take, from 0 to 1; nil for all of it.
    package var entryShare: Double?

    package init(cost: Int, count: Int = .max, entryShare: Double? = nil) {
        self.cost = cost
        self.count = count
        self.entryShare = entryShare
    }

    @usableFromInline var effectiveCost: Int { cost > 0 ? cost : .max }
    @usableFromInline var effectiveCount: Int { count > 0 ? count : .max }

    @usableFromInline var effectiveEntryCost: Int {
        guard cost > 0, let entryShare, entryShare < 1 else { return effectiveCost }
        // The conversion to floating point may round a large cost up.
        return min(cost, Int(Double(cost) * max(0, entryShare)))
    }
}
