/// The earliest moment at which some transfer may run out of time, shared by the loop and its transfers on
/// the loop's thread.
///
/// It may be too early, never too late: activity, which comes by the thousand, only moves deadlines back and
/// is not told here, so that a look at all transfers is due once per deadline and not in every round.
final class DeadlineWatch {
    /// When the loop last set libcurl to work. What libcurl reports then, it finds at about this moment; a
    /// look at the clock for each header line would cost a small transfer a microsecond.
    @exclusivity(unchecked) var roundStart = ContinuousClock.now

    @exclusivity(unchecked) private var earliest: ContinuousClock.Instant?

    func cover(_ timeline: TransferTimeline) {
        guard let deadline = timeline.deadline?.time else { return }
        earliest = min(earliest ?? deadline, deadline)
    }

    /// Whether all transfers must be looked at now; if so, the watch starts anew and they are covered again.
    func isDue(at time: ContinuousClock.Instant) -> Bool {
        guard let earliest, earliest <= time else { return false }
        self.earliest = nil
        return true
    }

    /// How long the loop may sleep, at most a minute, and no longer than until `next`.
    func milliseconds(
        from time: ContinuousClock.Instant, orUntil next: ContinuousClock.Instant? = nil
    ) -> Int32 {
        guard let earliest = [earliest, next].compactMap(\.self).min() else { return 60_000 }
        // Rounded up: a millisecond early would mean a round for nothing.
        let milliseconds = ((earliest - time) / .milliseconds(1)).rounded(.up)
        return Int32(min(max(milliseconds, 0), 60_000))
    }
}
