/// The number of the current round, and the transfers that rest until a later one. Used only on the loop's
/// thread.
final class LoopSchedule {
    @exclusivity(unchecked) private(set) var round = 0
    private var resting: [(transfer: CurlTransfer, until: MonotonicTime)] = []

    func begin(at time: MonotonicTime) -> [CurlTransfer] {
        round += 1
        guard !resting.isEmpty else { return [] }
        let due = resting.filter { $0.until <= time }.map(\.transfer)
        resting.removeAll { $0.until <= time }
        return due
    }

    func rest(_ transfer: CurlTransfer, until time: MonotonicTime) {
        resting.append((transfer, time))
    }

    var next: MonotonicTime? { resting.lazy.map { $0.until }.min() }
}
