/// What a limit on the bytes of a folder asks for.
///
/// Processes that share a folder do not know of each other's writes until they scan it. So each of them scans
/// when it has written `interval` bytes, and lets its writers wait when it has written twice as much without
/// an end of a scan: between them, `n` processes exceed the limit by no more than `2n + 1` intervals and what
/// each of the other processes' threads was writing at that moment. However little the folder seems to hold,
/// the number of others is unknown; and a scan of little is cheap.
struct DiskCap: Sendable, Equatable {
    enum Need: Sendable { case nothing, scan, sweep }

    /// Bytes that all entries may take; zero for no limit.
    let limit: Int

    init(limit: UInt64 = 0) {
        self.limit = Int(clamping: min(limit, UInt64(Int.max / 2)))
    }

    /// The excess that is left to the next sweep: folders are not listed for a few bytes.
    static let slack = 64 << 10

    /// What a sweep leaves: nine tenths, so that the next writes need none.
    var target: Int { limit - limit / 10 }

    /// Bytes written between two scans.
    var interval: Int { max(2 << 20, limit / 32) }

    /// What a sweep leaves when `incoming` bytes are about to be written: room for them, too.
    func target(incoming: Int) -> Int { min(target, limit - min(incoming, limit)) }

    /// - Parameter incoming: Bytes that are about to be written. Those of a file that is larger than the
    ///   limit count up to that: nothing that could be removed makes room for it.
    func need(_ tally: FolderTally, incoming: Int = 0) -> Need {
        if tally.wantsScan { return .scan }
        guard limit > 0 else { return .nothing }
        if exceeds(tally, 0, by: Self.slack) || exceeds(tally, incoming, by: interval) { return .sweep }
        return tally.written > interval ? .scan : .nothing
    }

    /// Whether a writer has to help first.
    func holdsWriters(_ tally: FolderTally, incoming: Int = 0) -> Bool {
        guard limit > 0 else { return false }
        return exceeds(tally, incoming, by: interval) || tally.written > 2 * interval
    }

    private func exceeds(_ tally: FolderTally, _ incoming: Int, by excess: Int) -> Bool {
        guard tally.isMeasured, !tally.isStuck else { return false }
        return tally.bytes > limit + excess - min(incoming, limit)
    }
}
