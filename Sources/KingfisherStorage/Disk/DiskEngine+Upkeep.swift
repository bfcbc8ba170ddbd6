import Foundation
import Synchronization

/// What is done in the background, in slices: scanning the folder, and keeping it below its limit.
extension DiskEngine {
    /// How far that has come.
    struct Upkeep: Sendable {
        fileprivate var plan: EvictionPlan?
    }

    fileprivate struct EvictionPlan: Sendable {
        var victims: ArraySlice<ScannedEntry>
        /// Held until the plan is carried out or given up; nil where it could not be had.
        let lock: SweepLock?
        /// What it was made for, and when.
        let cap: DiskCap
        let date: Date
        var hasRemoved = false
    }

    /// Files removed in one slice: about a millisecond, of which no entry's lane is held longer than for one
    /// file.
    static var sliceLength: Int { 32 }

    /// A writer that has helped so often goes ahead: others write faster than all can remove.
    private static var mostSlices: Int { 256 }

    /// How often whoever writes asks for the sweepers' lock, five milliseconds apart, before it
    /// lists without.
    static var writersPatience: Int { 20 }

    /// Has the folder seen to in the background, if that is due or a writer has left a plan.
    func startUpkeep() {
        guard isReady,
            hasPlan.load(ordering: .relaxed) || books.withLock({ $0.need }) != .nothing || names.wantsFill,
            !isUpkeepAhead.exchange(true, ordering: .relaxed)
        else { return }
        background.run { [weak self] in self?.runUpkeep() }
    }

    private func runUpkeep() {
        isUpkeepAhead.store(false, ordering: .relaxed)
        while advanceUpkeep(patience: SweepLock.patience) {}
    }

    /// Before a file is written: lets the caller help as long as the folder holds too much, or nobody knows
    /// how much.
    ///
    /// That the caller helps, instead of waiting for the background, means that it is never in vain.
    func makeRoom() {
        for _ in 0..<Self.mostSlices {
            guard books.withLock({ $0.holdsWriters }), advanceUpkeep(patience: Self.writersPatience)
            else { return }
        }
    }

    /// Does the next slice; false when nothing is left to do.
    ///
    /// - Parameter patience: How often to ask for the sweepers' lock, where one is needed.
    private func advanceUpkeep(patience: Int) -> Bool {
        // Before anything is held here: others go on with the plan that may be made meanwhile.
        let lock = sweepLock(patience: patience)
        return upkeep.withLock { upkeep in
            if var plan = upkeep.plan {
                upkeep.plan = nil
                if carryOutSlice(of: &plan) { upkeep.plan = plan }
            } else {
                switch books.withLock({ $0.need }) {
                case .nothing where names.wantsFill: scan()
                case .nothing: return false
                case .scan: scan()
                case .sweep: upkeep.plan = planSweep(holding: lock)
                }
            }
            hasPlan.store(upkeep.plan != nil, ordering: .relaxed)
            return true
        }
    }

    /// The sweepers' lock, where a sweep has to be planned and nobody else has it for too long.
    private func sweepLock(patience: Int) -> SweepLock? {
        SweepLock(of: directory, fileSystem, attempts: patience) {
            !hasPlan.load(ordering: .relaxed) && books.withLock { $0.need } == .sweep
        }
    }

    /// Removes some victims; false when the plan has reached its end, or the limit is another one by now.
    private func carryOutSlice(of plan: inout EvictionPlan) -> Bool {
        guard books.withLock({ $0.cap }) == plan.cap else { return false }
        for victim in plan.victims.prefix(Self.sliceLength) {
            // What cannot be removed is left to the next sweep.
            guard (try? remove(victim.name, ifStill: victim.isUnused)) == true else { continue }
            plan.hasRemoved = true
            if !victim.isExpired(at: plan.date) { counts.evictions.add(1, ordering: .relaxed) }
        }
        plan.victims = plan.victims.dropFirst(Self.sliceLength)
        guard plan.victims.isEmpty else { return true }
        if !plan.hasRemoved { books.withLock { $0.tally.noteFruitlessSweep() } }
        return false
    }

    private func planSweep(holding lock: SweepLock?) -> EvictionPlan? {
        writePendingAccesses()
        var survey = Survey()
        guard scan({ survey.add($0) }) else { return nil }
        let (need, target, cap) = books.withLock { ($0.need, $0.target, $0.cap) }
        // The process that had the lock before has done it.
        guard need == .sweep else { return nil }
        let now = clock.now
        let victims = survey.victims(leaving: target, now: now, expiredFirst: true)
        return EvictionPlan(victims: victims[...], lock: lock, cap: cap, date: now)
    }

    /// Brings the books in line with the folder; false when that cannot be listed.
    @discardableResult
    private func scan(_ body: (ScannedEntry) -> Void = { _ in }) -> Bool {
        names.beginFill(of: directory)
        books.withLock { $0.tally.beginScan() }
        removeLeftovers(pause: pause)
        var found = FolderTally.Found()
        do {
            try forEachEntry(pause: {
                note(in: &found)
                names.takeEvents()
                pause()
            }) { entry in
                found.add(FolderTally.Seen(name: entry.name.digest, size: entry.status?.size ?? 0))
                body(entry)
            }
        } catch {
            books.withLock { $0.tally.abandonScan() }
            names.abandonFill()
            return false
        }
        note(in: &found)
        // What was met counts, even where it was removed since.
        names.endFill(found.sizes.keys)
        found.settle()
        books.withLock { $0.tally.endScan(found) }
        return true
    }

    /// Takes over what has changed beside a scan, a few at a time: whoever writes waits for the end of a scan
    /// as long as it takes to add up the changes that are left.
    private func note(in found: inout FolderTally.Found) {
        let changes = books.withLock { $0.tally.takeChanges() }
        found.note(changes)
    }

    /// Lets a scan rest before the kernel reads more names of the folder, unless somebody waits for its end.
    private func pause() {
        if !books.withLock({ $0.holdsWriters }) { BackgroundWork.rest() }
    }
}
