/// Decides when a folder with a size limit needs a scan or a sweep.
///
/// Processes that share a folder see each other's writes only when they scan it. So each process scans after
/// it has written `interval` bytes, and delays its writers after it has written twice as much without a
/// finished scan. Together, `n` processes exceed the limit by at most `2n + 1` intervals plus what the
/// threads of the other processes are writing at that moment. This applies even to a folder that seems nearly
/// empty: the number of other processes is unknown, and a scan of few files is cheap.
struct DiskCap: Sendable, Equatable {
    enum Need: Sendable { case nothing, scan, sweep }

    let limit: Int

    init(limit: UInt64 = 0) {
        self.limit = Int(clamping: min(limit, UInt64(Int.max / 2)))
    }

    /// Excess bytes that do not yet cause a sweep: listing the folder for a few bytes is not worth it.
    static let slack = 64 << 10

    /// The size after a sweep: nine tenths of the limit, so that the next writes need no sweep.
    var target: Int { limit - limit / 10 }

    var interval: Int { max(2 << 20, limit / 32) }

    /// The most bytes of interrupted downloads beside the entries.
    var partialBytes: Int { limit > 0 ? limit / 10 : PartialFiles.mostBytes }

    func target(incoming: Int) -> Int { min(target, limit - min(incoming, limit)) }

    /// - Parameter incoming: Bytes that are about to be written. They count up to the limit: no removal can
    ///   make room for a larger file.
    func need(_ tally: FolderTally, incoming: Int = 0) -> Need {
        if tally.wantsScan { return .scan }
        guard limit > 0 else { return .nothing }
        if exceeds(tally, 0, by: Self.slack) || exceeds(tally, incoming, by: interval) { return .sweep }
        return tally.written > interval ? .scan : .nothing
    }

    /// Whether a writer must help to sweep before it writes.
    func holdsWriters(_ tally: FolderTally, incoming: Int = 0) -> Bool {
        guard limit > 0 else { return false }
        return exceeds(tally, incoming, by: interval) || tally.written > 2 * interval
    }

    private func exceeds(_ tally: FolderTally, _ incoming: Int, by excess: Int) -> Bool {
        guard tally.isMeasured, !tally.isStuck else { return false }
        return tally.bytes > limit + excess - min(incoming, limit)
    }
}
