/// What a folder holds: what the last scan found, and what this process has changed since.
///
/// A scan takes its time while entries come and go beside it. What the process itself changes meanwhile is
/// noted by name and counts in place of what the scan saw, so that the sum is right when it ends. What other
/// processes change is seen by the next scan.
struct FolderTally: Sendable {
    /// An entry as a scan met it.
    struct Seen: Sendable {
        let name: UInt64
        let size: Int
    }

    /// Own changes by name: the size since then, nil for no entry.
    typealias Changes = [UInt64: Int?]

    /// What a scan met, added up before a writer has to wait for it.
    struct Found: Sendable {
        private(set) var sizes: [UInt64: Int] = [:]
        private(set) var bytes = 0
        private var changes: Changes = [:]

        /// An entry that was written meanwhile may be met twice.
        mutating func add(_ seen: Seen) { set(seen.name, to: seen.size) }

        /// Notes changes that were made beside the scan, later ones in place of earlier ones.
        mutating func note(_ latest: Changes) {
            changes.merge(latest) { $1 }
        }

        /// Puts the changes in place of what was met, once nothing more is met.
        mutating func settle() {
            for (name, size) in changes { set(name, to: size) }
            changes = [:]
        }

        private mutating func set(_ name: UInt64, to size: Int?) {
            let old = sizes[name] ?? 0
            sizes[name] = size
            // Sums wrap around, as thousands of files may each claim to be as large as can be; then they mean
            // nothing.
            bytes &+= (size ?? 0) &- old
        }
    }

    private(set) var entries = 0
    private(set) var bytes = 0
    /// A scan has ended, so that the numbers are those of the folder.
    private(set) var isMeasured = false
    /// The numbers are not to be trusted, and no scan has ended since.
    private(set) var wantsScan = true
    /// There was nothing to remove, or no way to find out: until the next scan no sweep is worth while.
    private(set) var isStuck = false
    /// Bytes that this process has written since the last scan began.
    private(set) var written = 0

    /// Changes that are under way, by name: the size before, nil for no entry.
    private var changing: Changes = [:]
    /// The latest own changes beside the scan that is under way, and that it does not know of.
    private var changed: Changes?
    private var writtenBeforeScan = 0

    /// Says that an entry is about to be written or removed, whose size so far is `size`.
    mutating func beginChange(of name: UInt64, from size: Int?) {
        changing.updateValue(size, forKey: name)
    }

    /// Says what became of the entry: its size now, nil when there is none.
    mutating func endChange(of name: UInt64, to size: Int?, writing count: Int = 0) {
        guard let old = changing.removeValue(forKey: name) else { return }
        replace(old, by: size)
        written &+= count
        changed?.updateValue(size, forKey: name)
    }

    mutating func beginScan() {
        changed = [:]
        writtenBeforeScan = written
    }

    /// Hands the changes so far to the scan that is under way; the later ones remain to be taken.
    mutating func takeChanges() -> Changes {
        guard let taken = changed else { return [:] }
        changed = [:]
        return taken
    }

    /// Takes as long as changes are left, however many entries there are: writers wait for it.
    mutating func endScan(_ found: Found) {
        guard let changed else { return }
        (entries, bytes) = (found.sizes.count, found.bytes)
        for (name, size) in changed where changing[name] == nil { replace(found.sizes[name], by: size) }
        for (name, size) in changing { replace(found.sizes[name], by: size) }
        closeScan()
        isMeasured = true
        isStuck = false
    }

    /// Gives up a scan that failed; the next one is due when as much has been written again.
    mutating func abandonScan() {
        closeScan()
        isStuck = true
    }

    mutating func noteFruitlessSweep() {
        isStuck = true
    }

    /// Says that the folder is empty now, as far as this process knows.
    mutating func noteRemovalOfAll() {
        (entries, bytes, written, writtenBeforeScan) = (0, 0, 0, 0)
        // What a scan under way has seen is gone.
        changed = nil
        isMeasured = true
        wantsScan = false
        isStuck = false
    }

    /// Says that it is not known what the folder holds.
    mutating func distrust() {
        wantsScan = true
    }

    private mutating func closeScan() {
        changed = nil
        written -= writtenBeforeScan
        writtenBeforeScan = 0
        wantsScan = false
    }

    private mutating func replace(_ old: Int?, by new: Int?) {
        add(old, sign: -1)
        add(new, sign: 1)
    }

    private mutating func add(_ size: Int?, sign: Int) {
        guard let size else { return }
        entries += sign
        bytes &+= sign * size
    }
}
