/// What a simulation has found.
package struct FleetResult: Sendable {
    package let settings: FleetSettings
    /// After the warm-up.
    package let total: Counts
    /// Of 10 seconds each, from the beginning.
    package let windows: [Counts]
    /// Images that were built at least once, and how often the image with the most builds was.
    package let distinctBuilds: Int
    package let mostBuilds: Int
    package let allBuilds: Int
    /// The most requests of the origin in one second.
    package let peakFetches: Int
    package let outdated: Int
    package let lastOutdated: Double
    package let memory: Int
    package let evictions: Int
    /// Sent by the busiest node and by all, and commands, in all of the run.
    package let peakNodeBytes: Int
    package let nodeBytes: Int
    package let commands: Int
    package let peakCommands: Int

    init(_ settings: FleetSettings, _ tally: Tally.State, _ usage: SimulatedCluster.Usage) {
        self.settings = settings
        total = tally.total
        windows = tally.windows
        distinctBuilds = tally.buildsByImage.count { $0 > 0 }
        mostBuilds = tally.buildsByImage.max() ?? 0
        allBuilds = tally.buildsByImage.reduce(0, +)
        let first = Int(settings.warmUp)
        peakFetches = tally.fetchesBySecond.dropFirst(first).max() ?? 0
        (outdated, lastOutdated) = (tally.outdated, tally.lastOutdated)
        (memory, evictions) = (usage.memory, usage.evictions)
        (peakNodeBytes, nodeBytes) = (usage.peakBytes, usage.bytes)
        (commands, peakCommands) = (usage.commands, usage.peakCommands)
    }

    package var buildsPerImage: Double { Double(allBuilds) / Double(max(1, distinctBuilds)) }
}

extension [Double] {
    /// The smallest value that is at least as large as this share of all; 0 if there is none.
    package func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return 0 }
        return sorted()[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
