import Foundation
import Synchronization

/// What is done in the background, in slices: scanning the folder, and keeping it below its limit.
final class DiskUpkeep: Sendable {
    private struct EvictionPlan: Sendable {
        var victims: ArraySlice<ScannedEntry>
        /// Held until the plan is carried out or abandoned; nil where it could not be had.
        let lock: SweepLock?
        /// What it was made for, and when.
        let cap: DiskCap
        let date: Date
        var hasRemoved = false
    }

    /// Files removed in one slice: about a millisecond, of which no entry's lock is held longer than for one
    /// file.
    static let sliceLength = 32
    /// How often a writer asks for the sweepers' lock, five milliseconds apart, before it lists without.
    static let writersAttempts = 20
    /// A writer that has helped so often goes ahead: others write faster than all can remove.
    private static let mostSlices = 256

    private let folder: CacheFolder
    private let accounting: FolderAccounting
    private let sweeper: DiskSweeper
    private let clock: any StorageClock
    private let background: BackgroundWork
    /// Held during each slice.
    private let plan = Mutex<EvictionPlan?>(nil)
    /// Whether a planned sweep is not carried out yet.
    private let hasPlan = Atomic(false)
    private let isAhead = Atomic(false)

    init(
        _ folder: CacheFolder, _ accounting: FolderAccounting, _ sweeper: DiskSweeper,
        clock: any StorageClock, background: BackgroundWork
    ) {
        (self.folder, self.accounting, self.sweeper) = (folder, accounting, sweeper)
        (self.clock, self.background) = (clock, background)
    }

    /// Does in the background what is due, or what a writer has planned, once the folder is ready.
    func start() {
        guard folder.isReady, hasPlan.load(ordering: .relaxed) || accounting.need != .nothing,
            !isAhead.exchange(true, ordering: .relaxed)
        else { return }
        background.run { [weak self] in self?.run() }
    }

    private func run() {
        isAhead.store(false, ordering: .relaxed)
        while advance(attempts: SweepLock.mostAttempts) {}
    }

    /// Lets a writer help first, as long as the folder holds too much, or how much is not known.
    ///
    /// The caller helps instead of waiting for the background, so that what it waits for is sure to happen.
    func makeRoom() {
        for _ in 0..<Self.mostSlices {
            guard accounting.holdsWriters, advance(attempts: Self.writersAttempts) else { return }
        }
    }

    /// Does the next slice; false when nothing is left to do.
    ///
    /// - Parameter attempts: How often to ask for the sweepers' lock, where one is needed.
    private func advance(attempts: Int) -> Bool {
        // Before anything is held here: others go on with the plan that may be made meanwhile.
        let lock = SweepLock(of: folder.directory, folder.fileSystem, attempts: attempts) {
            !hasPlan.load(ordering: .relaxed) && accounting.need == .sweep
        }
        return plan.withLock { plan in
            if var current = plan {
                plan = nil
                if performSlice(of: &current) { plan = current }
            } else {
                switch accounting.need {
                case .nothing: return false
                case .scan: scan()
                case .sweep: plan = planSweep(holding: lock)
                }
            }
            hasPlan.store(plan != nil, ordering: .relaxed)
            return true
        }
    }

    /// Removes some victims; false when the plan has reached its end, or the limit has changed.
    private func performSlice(of plan: inout EvictionPlan) -> Bool {
        guard accounting.cap == plan.cap else { return false }
        for victim in plan.victims.prefix(Self.sliceLength) {
            // What cannot be removed is left to the next sweep.
            guard (try? sweeper.remove(victim.name, ifStill: victim.isUnused)) == true else { continue }
            plan.hasRemoved = true
            if !victim.isExpired(at: plan.date) { accounting.noteEvictions() }
        }
        plan.victims = plan.victims.dropFirst(Self.sliceLength)
        guard plan.victims.isEmpty else { return true }
        if !plan.hasRemoved { accounting.noteFruitlessSweep() }
        return false
    }

    private func planSweep(holding lock: SweepLock?) -> EvictionPlan? {
        accounting.writeAccesses()
        var survey = Survey()
        // Without a goal, the process that had the lock before has done it.
        guard scan({ survey.add($0) }), let (target, cap) = accounting.sweepGoal else { return nil }
        let now = clock.now
        let victims = survey.victims(leaving: target, now: now, expiredFirst: true)
        return EvictionPlan(victims: victims[...], lock: lock, cap: cap, date: now)
    }

    /// Brings the accounting in line with the folder; false when that cannot be listed.
    @discardableResult
    private func scan(_ body: (ScannedEntry) -> Void = { _ in }) -> Bool {
        accounting.beginScan()
        sweeper.removeLeftovers(pause: pause)
        var found = FolderTally.Found()
        do {
            try folder.forEachEntry(pause: {
                accounting.continueScan(&found)
                pause()
            }) { entry in
                found.add(FolderTally.Seen(name: entry.name.digest, size: entry.status?.size ?? 0))
                body(entry)
            }
        } catch {
            accounting.abandonScan()
            return false
        }
        accounting.endScan(&found)
        return true
    }

    /// Lets a scan rest before the kernel reads more names of the folder, unless writers wait for its end.
    private func pause() {
        if !accounting.holdsWriters { BackgroundWork.rest() }
    }
}
