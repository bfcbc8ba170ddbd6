/// What a limit on the bytes of a folder asks for.
///
/// Processes that share a folder do not know of each other's writes until they scan it. So each of them scans
/// when it has written `interval` bytes, as soon as that could matter, and lets its writers wait when it has
/// written twice as much without an end of a scan: between them, `n` processes exceed the limit by no more
/// than `2n + 1` intervals.
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

    func need(_ tally: FolderTally) -> Need {
        if tally.wantsScan { return .scan }
        guard limit > 0 else { return .nothing }
        if tally.isMeasured, !tally.isStuck, tally.bytes > limit + Self.slack { return .sweep }
        return isUncertain(tally) && tally.written > interval ? .scan : .nothing
    }

    /// Whether whoever wants to write has to help first.
    func holdsWriters(_ tally: FolderTally) -> Bool {
        guard limit > 0 else { return false }
        if tally.isMeasured, !tally.isStuck, tally.bytes > limit + interval { return true }
        return isUncertain(tally) && tally.written > 2 * interval
    }

    /// Whether others may have written what takes the folder beyond its limit: far below it that takes many.
    private func isUncertain(_ tally: FolderTally) -> Bool {
        !tally.isMeasured || tally.bytes > limit / 4
    }
}
