import Foundation
import KingfisherConcurrency
import Synchronization

/// What this process knows of a cache folder without looking at it: how much it holds and may hold, which
/// names are not in it, the accesses that the files do not tell yet, and how its use went.
///
/// What is known of an entry changes under the entry's lock; no closure of a caller runs under another lock
/// of this type. Safe from any thread.
final class FolderAccounting: Sendable {
    private struct State: Sendable {
        var tally = FolderTally()
        var cap: DiskCap
        /// Bytes of the files that are being written.
        var incoming = 0

        var need: DiskCap.Need { cap.need(tally, incoming: incoming) }
        var holdsWriters: Bool { cap.holdsWriters(tally, incoming: incoming) }
    }

    private let directory: String
    private let locks = KeyedLocks()
    private let accesses: PendingAccesses
    private let state: Mutex<State>
    private let names: NameFilter
    private let hits = Atomic(0)
    private let misses = Atomic(0)
    private let evictions = Atomic(0)
    private let corruptEntriesDropped = Atomic(0)

    init(of folder: CacheFolder, _ settings: DiskSettings, watch: FolderWatch) {
        directory = folder.directory
        names = NameFilter(watch: watch)
        accesses = PendingAccesses(in: folder, locks)
        state = Mutex(State(cap: DiskCap(limit: settings.sizeLimit)))
        names.turn(on: settings.filtersNames)
    }

    func apply(_ settings: DiskSettings) {
        names.turn(on: settings.filtersNames)
        state.withLock { $0.cap = DiskCap(limit: settings.sizeLimit) }
    }

    /// What the last scan found and what has changed since.
    var tally: FolderTally { state.withLock(\.tally) }
    var cap: DiskCap { state.withLock(\.cap) }
    /// Whether a writer has to help first.
    var holdsWriters: Bool { state.withLock(\.holdsWriters) }

    /// What the folder needs, for its limit or else for the filter of names.
    var need: DiskCap.Need {
        let need = state.withLock(\.need)
        return need == .nothing && wantsNames ? .scan : need
    }

    /// What a sweep has to leave, and under which limit; nil where none is due.
    var sweepGoal: (target: Int, cap: DiskCap)? {
        state.withLock { $0.need == .sweep ? ($0.cap.target(incoming: $0.incoming), $0.cap) : nil }
    }

    // MARK: - Entries

    /// Runs `body` while nothing else runs for an entry.
    @inline(__always)
    func withLock<R: Sendable, E: Error>(of name: EntryName, _ body: () throws(E) -> R) throws(E) -> R {
        try locks.withLock(name.digest, body)
    }

    /// Runs `body` while nothing else runs for any entry.
    func withAllLocks<R: Sendable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try locks.withBarrier(body)
    }

    /// Announces bytes that are to be written; returns whether the writer has to help first.
    func beginStore(of count: Int) -> Bool {
        state.withLock { state in
            state.incoming &+= count
            return state.holdsWriters
        }
    }

    func endStore(of count: Int) { state.withLock { $0.incoming &-= count } }

    /// Accounts for an entry that `body` writes; in its lock only.
    ///
    /// - Parameters:
    ///   - old: What has the name so far; nil for nothing.
    ///   - count: The new size in bytes.
    func write(
        _ name: EntryName, old: FileStatus?, count: Int, _ body: () throws(SystemError) -> Void
    ) throws(SystemError) {
        names.noteWrite(name.digest)
        try change(name, from: old, to: count, body)
    }

    /// Accounts for an entry that `body` removes; in its lock only.
    func remove(
        _ name: EntryName, old: FileStatus?, _ body: () throws(SystemError) -> Void
    ) throws(SystemError) {
        try change(name, from: old, to: nil, body)
        names.noteRemoval()
    }

    private func change(
        _ name: EntryName, from status: FileStatus?, to new: Int?, _ body: () throws(SystemError) -> Void
    ) throws(SystemError) {
        let old = status.flatMap { $0.kind == .directory ? nil : $0.size }
        state.withLock { $0.tally.beginChange(of: name.digest, from: old) }
        do throws(SystemError) {
            try body()
        } catch {
            state.withLock { $0.tally.endChange(of: name.digest, to: old) }
            throw error
        }
        accesses.forget(name)
        state.withLock { $0.tally.endChange(of: name.digest, to: new, writing: new ?? 0) }
    }

    /// Says that the folder has been emptied.
    func noteRemovalOfAll() {
        accesses.forgetAll()
        state.withLock { $0.tally.noteRemovalOfAll() }
        names.clear(isUrgent: true)
    }

    /// Says that emptying the folder has failed, so that its contents are unknown.
    func distrust() { state.withLock { $0.tally.distrust() } }

    // MARK: - Accesses

    /// The access of the file that has a name, if one waits.
    func access(of name: EntryName) -> PendingAccesses.Access? { accesses.access(of: name) }

    /// Notes an access in place of an earlier one, in the entry's lock only; false when too many wait.
    func note(_ access: PendingAccesses.Access, of name: EntryName) -> Bool {
        accesses.note(access, of: name)
    }

    func forgetAccess(of name: EntryName) { accesses.forget(name) }
    func writeAccesses() { accesses.write() }

    func writeAccesses(after delay: TimeInterval, on background: BackgroundWork) {
        accesses.write(after: delay, on: background)
    }

    // MARK: - Scans and sweeps

    func beginScan() {
        names.beginFill(of: directory)
        state.withLock { $0.tally.beginScan() }
    }

    /// Takes over what has changed beside a scan so far. Writers wait for the end of a scan only as long as
    /// it takes to add up the changes that are left.
    func continueScan(_ found: inout FolderTally.Found) {
        takeChanges(into: &found)
        names.takeEvents()
    }

    func abandonScan() {
        state.withLock { $0.tally.abandonScan() }
        names.abandonFill()
    }

    func endScan(_ found: inout FolderTally.Found) {
        takeChanges(into: &found)
        // What was met counts, even where it was removed since.
        names.endFill(found.sizes.keys)
        found.settle()
        state.withLock { $0.tally.endScan(found) }
    }

    private func takeChanges(into found: inout FolderTally.Found) {
        let changes = state.withLock { $0.tally.takeChanges() }
        found.note(changes)
    }

    func noteFruitlessSweep() { state.withLock { $0.tally.noteFruitlessSweep() } }

    // MARK: - Names

    /// Whether the names in the folder are known.
    var knowsNames: Bool { names.isReady }
    /// Whether a scan would make them known, or better known.
    var wantsNames: Bool { names.wantsFill }

    /// Whether there is certainly no entry, as far as `NameFilter` can tell; counts a miss then.
    func rulesOut(_ name: EntryName) -> Bool {
        guard names.rulesOut(name.digest) else { return false }
        noteMiss()
        return true
    }

    // MARK: - Counts

    func noteHit() { hits.add(1, ordering: .relaxed) }
    func noteMiss() { misses.add(1, ordering: .relaxed) }
    func noteEvictions(_ count: Int = 1) { evictions.add(count, ordering: .relaxed) }
    func noteCorruptEntry() { corruptEntriesDropped.add(1, ordering: .relaxed) }

    var statistics: DiskCacheStatistics {
        let (entries, bytes) = state.withLock { ($0.tally.entries, $0.tally.bytes) }
        return DiskCacheStatistics(
            entries: max(0, entries), bytes: UInt(max(0, bytes)), hits: hits.load(ordering: .relaxed),
            misses: misses.load(ordering: .relaxed), evictions: evictions.load(ordering: .relaxed),
            corruptEntriesDropped: corruptEntriesDropped.load(ordering: .relaxed))
    }
}
