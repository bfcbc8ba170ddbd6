/// The earliest time at which a transfer may exceed a limit, used by the loop and its transfers on the loop's
/// thread.
///
/// It may be too early, never too late. Activity only postpones deadlines and is not reported here, so all
/// transfers are checked once per deadline and not in every round.
final class DeadlineWatch {
    /// When the loop last called libcurl. Used as the time of libcurl's callbacks: reading the clock for each
    /// header line would cost a small transfer a microsecond.
    @exclusivity(unchecked) var roundStart = MonotonicTime.now

    @exclusivity(unchecked) private var earliest: MonotonicTime?

    func cover(_ timeline: TransferTimeline) {
        guard let deadline = timeline.deadline?.time else { return }
        earliest = min(earliest ?? deadline, deadline)
    }

    /// Whether all transfers must be checked now. If so, the watch is reset, and they must be covered again.
    func isDue(at time: MonotonicTime) -> Bool {
        guard let earliest, earliest <= time else { return false }
        self.earliest = nil
        return true
    }

    func milliseconds(
        from time: MonotonicTime, orUntil next: MonotonicTime? = nil
    ) -> Int32 {
        guard let earliest = [earliest, next].compactMap(\.self).min() else { return 60_000 }
        // Rounded up: waking a millisecond early would waste a round.
        let milliseconds = ((earliest - time) / .milliseconds(1)).rounded(.up)
        return Int32(min(max(milliseconds, 0), 60_000))
    }
}
