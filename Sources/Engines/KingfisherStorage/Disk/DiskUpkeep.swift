import Foundation
import Synchronization

final class DiskUpkeep: Sendable {
    private struct EvictionPlan: Sendable {
        var victims: ArraySlice<ScannedEntry>
        /// Held until the plan is complete or abandoned; nil if the lock was not available.
        let lock: SweepLock?
        let cap: DiskCap
        let date: Date
        var hasRemoved = false
    }

    /// Files removed in one slice, which takes about a millisecond. No entry's lock is held for more than one
    /// file.
    static let sliceLength = 32
    /// How often a writer tries to take the sweep lock, at intervals of five milliseconds, before it
    /// continues without it.
    static let writersAttempts = 20
    /// The maximum number of slices that a writer performs before it proceeds, in case others write faster
    /// than files can be removed.
    private static let mostSlices = 256

    private let folder: CacheFolder
    private let accounting: FolderAccounting
    private let sweeper: DiskSweeper
    private let clock: any StorageClock
    private let background: BackgroundWork
    /// Locked during each slice.
    private let plan = Mutex<EvictionPlan?>(nil)
    private let hasPlan = Atomic(false)
    private let isScheduled = Atomic(false)

    init(
        _ folder: CacheFolder, _ accounting: FolderAccounting, _ sweeper: DiskSweeper,
        clock: any StorageClock, background: BackgroundWork
    ) {
        (self.folder, self.accounting, self.sweeper) = (folder, accounting, sweeper)
        (self.clock, self.background) = (clock, background)
    }

    func start() {
        guard folder.isReady, hasPlan.load(ordering: .relaxed) || accounting.need != .nothing,
            !isScheduled.exchange(true, ordering: .relaxed)
        else { return }
        background.run { [weak self] in self?.run() }
    }

    /// Scans the folder on this thread if a scan is due. Without pauses, because the folder was just empty.
    func scanNow() {
        plan.withLock { _ in
            if accounting.need == .scan { scan(pause: {}) }
        }
    }

    private func run() {
        isScheduled.store(false, ordering: .relaxed)
        while advance(attempts: SweepLock.mostAttempts) {}
    }

    /// Makes a writer help while the folder is too large or its size is unknown.
    ///
    /// The caller helps instead of waiting for the background, so that progress is guaranteed.
    func makeRoom() {
        for _ in 0..<Self.mostSlices {
            guard accounting.holdsWriters, advance(attempts: Self.writersAttempts) else { return }
        }
    }

    private func advance(attempts: Int) -> Bool {
        // Before `plan` is locked: in the meantime, another thread may make a plan and continue it.
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
                case .scan: scan(pause: pause)
                case .sweep: plan = planSweep(holding: lock)
                }
            }
            hasPlan.store(plan != nil, ordering: .relaxed)
            return true
        }
    }

    private func performSlice(of plan: inout EvictionPlan) -> Bool {
        guard accounting.cap == plan.cap else { return false }
        for victim in plan.victims.prefix(Self.sliceLength) {
            // Files that cannot be removed are left to the next sweep.
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
        // There is no goal if the process that held the lock before has already swept the folder.
        guard scan(pause: pause, { survey.add($0) }), let (target, cap) = accounting.sweepGoal else {
            return nil
        }
        let now = clock.now
        let victims = survey.victims(leaving: target, now: now, expiredFirst: true)
        return EvictionPlan(victims: victims[...], lock: lock, cap: cap, date: now)
    }

    @discardableResult
    private func scan(pause: () -> Void, _ body: (ScannedEntry) -> Void = { _ in }) -> Bool {
        accounting.beginScan()
        sweeper.removeLeftovers(pause: pause)
        var found = FolderTally.ScanResult()
        do {
            try folder.forEachEntry(pause: {
                accounting.continueScan(&found)
                pause()
            }) { entry in
                found.add(FolderTally.ScannedName(name: entry.name.digest, size: entry.status?.size ?? 0))
                body(entry)
            }
        } catch {
            accounting.abandonScan()
            return false
        }
        accounting.endScan(&found)
        return true
    }

    /// Pauses a scan before the kernel reads more names, unless writers wait for its end.
    private func pause() {
        if !accounting.holdsWriters { BackgroundWork.rest() }
    }
}
