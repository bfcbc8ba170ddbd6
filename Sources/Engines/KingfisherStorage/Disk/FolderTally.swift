/// The size of a folder: the result of the last scan plus the changes by this process since then.
///
/// Entries are added and removed during a scan. Changes by this process during the scan are noted by name and
/// override what the scan saw, so that the sum is correct at its end. Changes by other processes are seen by
/// the next scan.
struct FolderTally: Sendable {
    struct ScannedName: Sendable {
        let name: UInt64
        let size: Int
    }

    /// Changes by this process, by name: the new size, or nil if removed.
    typealias Changes = [UInt64: Int?]

    /// The entries that a scan has found, added up before a writer has to wait.
    struct ScanResult: Sendable {
        private(set) var sizes: [UInt64: Int] = [:]
        private(set) var bytes = 0
        private var changes: Changes = [:]

        /// An entry that is replaced during the scan may be found twice.
        mutating func add(_ seen: ScannedName) { set(seen.name, to: seen.size) }

        mutating func note(_ latest: Changes) {
            changes.merge(latest) { $1 }
        }

        mutating func settle() {
            for (name, size) in changes { set(name, to: size) }
            changes = [:]
        }

        private mutating func set(_ name: UInt64, to size: Int?) {
            let old = sizes[name] ?? 0
            sizes[name] = size
            // Wrapping, because thousands of files may each claim the maximum size. The sum is meaningless
            // then.
            bytes &+= (size ?? 0) &- old
        }
    }

    private(set) var entries = 0
    private(set) var bytes = 0
    private(set) var isMeasured = false
    private(set) var wantsScan = true
    /// Whether sweeps are pointless until the next scan: nothing could be removed, or the scan failed.
    private(set) var isStuck = false
    /// Bytes that this process has written since the last scan started.
    private(set) var written = 0

    /// Changes in progress, by name: the size before, or nil if there was no entry.
    private var changing: Changes = [:]
    /// The latest changes by this process that the current scan has not taken yet; nil if there is no scan.
    private var changed: Changes?
    private var writtenBeforeScan = 0

    mutating func beginChange(of name: UInt64, from size: Int?) {
        changing.updateValue(size, forKey: name)
    }

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

    mutating func takeChanges() -> Changes {
        guard let taken = changed else { return [:] }
        changed = [:]
        return taken
    }

    /// Takes time proportional to the remaining changes, not to the entries, because writers wait for it.
    mutating func endScan(_ found: ScanResult) {
        guard let changed else { return }
        (entries, bytes) = (found.sizes.count, found.bytes)
        for (name, size) in changed where changing[name] == nil { replace(found.sizes[name], by: size) }
        for (name, size) in changing { replace(found.sizes[name], by: size) }
        closeScan()
        isMeasured = true
        isStuck = false
    }

    /// Ends a failed scan. The next one is due after the usual number of bytes was written.
    mutating func abandonScan() {
        closeScan()
        isStuck = true
    }

    mutating func noteFruitlessSweep() {
        isStuck = true
    }

    mutating func noteRemovalOfAll() {
        (entries, bytes, written, writtenBeforeScan) = (0, 0, 0, 0)
        // Everything that a current scan has found was removed.
        changed = nil
        isMeasured = true
        wantsScan = false
        isStuck = false
    }

    mutating func invalidate() {
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
