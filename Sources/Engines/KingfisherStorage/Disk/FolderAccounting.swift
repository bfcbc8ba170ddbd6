import Foundation
import KingfisherConcurrency
import Synchronization

/// The state of a cache folder as this process knows it without disk access: its size and limit, absent
/// names, accesses that are not yet in the files' times, and statistics.
///
/// Call `write`, `remove` and `note` only under the entry's lock. No closure of a caller runs under another
/// lock of this type. Safe to use from any thread.
final class FolderAccounting: Sendable {
    private struct State: Sendable {
        var tally = FolderTally()
        var cap: DiskCap
        var incomingBytes = 0

        var need: DiskCap.Need { cap.need(tally, incoming: incomingBytes) }
        var holdsWriters: Bool { cap.holdsWriters(tally, incoming: incomingBytes) }
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

    var tally: FolderTally { state.withLock(\.tally) }
    var cap: DiskCap { state.withLock(\.cap) }
    var holdsWriters: Bool { state.withLock(\.holdsWriters) }

    var need: DiskCap.Need {
        let need = state.withLock(\.need)
        return need == .nothing && wantsNames ? .scan : need
    }

    var sweepGoal: (target: Int, cap: DiskCap)? {
        state.withLock { $0.need == .sweep ? ($0.cap.target(incoming: $0.incomingBytes), $0.cap) : nil }
    }

    // MARK: - Entries

    @inline(__always)
    func withLock<R: Sendable, E: Error>(of name: EntryName, _ body: () throws(E) -> R) throws(E) -> R {
        try locks.withLock(name.digest, body)
    }

    func withAllLocks<R: Sendable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try locks.withBarrier(body)
    }

    func beginStore(of count: Int) -> Bool {
        state.withLock { state in
            state.incomingBytes &+= count
            return state.holdsWriters
        }
    }

    func endStore(of count: Int) { state.withLock { $0.incomingBytes &-= count } }

    func write(
        _ name: EntryName, old: FileStatus?, count: Int, _ body: () throws(SystemError) -> Void
    ) throws(SystemError) {
        names.noteWrite(name.digest)
        try change(name, from: old, to: count, body)
    }

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

    func noteRemovalOfAll() {
        accesses.forgetAll()
        state.withLock { $0.tally.noteRemovalOfAll() }
        names.clear(isUrgent: true)
    }

    func invalidate() { state.withLock { $0.tally.invalidate() } }

    // MARK: - Accesses

    func access(of name: EntryName) -> PendingAccesses.Access? { accesses.access(of: name) }

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

    /// Merges the changes made during the scan so far, so that the end of the scan, for which writers wait,
    /// has few left to merge.
    func continueScan(_ found: inout FolderTally.ScanResult) {
        takeChanges(into: &found)
        names.takeEvents()
    }

    func abandonScan() {
        state.withLock { $0.tally.abandonScan() }
        names.abandonFill()
    }

    func endScan(_ found: inout FolderTally.ScanResult) {
        takeChanges(into: &found)
        // Names that were found count, even if they have been removed since.
        names.endFill(found.sizes.keys)
        found.settle()
        state.withLock { $0.tally.endScan(found) }
    }

    private func takeChanges(into found: inout FolderTally.ScanResult) {
        let changes = state.withLock { $0.tally.takeChanges() }
        found.note(changes)
    }

    func noteFruitlessSweep() { state.withLock { $0.tally.noteFruitlessSweep() } }

    // MARK: - Names

    var knowsNames: Bool { names.isReady }
    var wantsNames: Bool { names.wantsFill }

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
