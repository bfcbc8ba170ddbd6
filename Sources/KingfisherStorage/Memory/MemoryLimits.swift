/// What a memory cache may hold; zero or less means no limit, as with Apple's NSCache.
package struct MemoryLimits: Sendable, Equatable {
    /// The largest sum of costs.
    package var cost: Int
    /// The largest number of entries.
    package var count: Int

    package init(cost: Int, count: Int = .max) {
        self.cost = cost
        self.count = count
    }

    var effectiveCost: Int { cost > 0 ? cost : .max }
    var effectiveCount: Int { count > 0 ? count : .max }
}
