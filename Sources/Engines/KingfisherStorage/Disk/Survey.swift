import Foundation

struct ScannedEntry: Sendable {
    let name: EntryName
    /// Nil if the file exists but its metadata cannot be read.
    let status: FileStatus?

    func isExpired(at date: Date) -> Bool { status.map { $0.modified <= date } ?? true }

    func isUnused(_ now: FileStatus?, _ access: PendingAccesses.Access?) -> Bool {
        guard let status, let now, now.isSameFile(as: status) else { return false }
        guard now.accessed == status.accessed, now.modified == status.modified else { return false }
        return access.map { !$0.isOf(now) } ?? true
    }
}

struct Survey: Sendable {
    private(set) var entries: [ScannedEntry] = []
    private(set) var bytes = 0

    mutating func add(_ entry: ScannedEntry) {
        guard let status = entry.status else { return }
        entries.append(entry)
        let (sum, isTooLarge) = bytes.addingReportingOverflow(status.size)
        bytes = isTooLarge ? .max : sum
    }

    /// The entries to remove, in this order, to leave at most `target` bytes: with `expiredFirst` first those
    /// that have expired, then the least recently used.
    ///
    /// An access in the future was noted before the clock was set back, and counts as an access now.
    func victims(leaving target: Int, now: Date, expiredFirst: Bool = false) -> [ScannedEntry] {
        var excess = bytes - target
        var order: [(isKept: Bool, used: Date, index: Int)] = []
        order.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            guard let status = entry.status else { continue }
            order.append((!expiredFirst || status.modified > now, min(status.accessed, now), index))
        }
        order.sort { one, other in
            if one.isKept != other.isKept { return other.isKept }
            if one.used != other.used { return one.used < other.used }
            return entries[one.index].name.rawValue < entries[other.index].name.rawValue
        }
        var victims: [ScannedEntry] = []
        for candidate in order {
            guard excess > 0 || !candidate.isKept else { break }
            let entry = entries[candidate.index]
            victims.append(entry)
            excess -= entry.status?.size ?? 0
        }
        return victims
    }
}
