/// The rounds of a loop, and the transfers that rest until a later one, on the loop's thread.
final class LoopTurns {
    /// Numbers the round.
    @exclusivity(unchecked) private(set) var round = 0
    private var resting: [(transfer: CurlTransfer, until: ContinuousClock.Instant)] = []

    /// Begins a round; returns the transfers whose rest is over.
    func begin(at time: ContinuousClock.Instant) -> [CurlTransfer] {
        round += 1
        guard !resting.isEmpty else { return [] }
        let due = resting.filter { $0.until <= time }.map(\.transfer)
        resting.removeAll { $0.until <= time }
        return due
    }

    func rest(_ transfer: CurlTransfer, until time: ContinuousClock.Instant) {
        resting.append((transfer, time))
    }

    /// When the next rest is over.
    var next: ContinuousClock.Instant? { resting.lazy.map { $0.until }.min() }
}
