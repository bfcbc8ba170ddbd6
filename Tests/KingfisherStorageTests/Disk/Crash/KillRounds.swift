import Foundation

@testable import CacheWorker
@testable import KingfisherStorage

/// Rounds in which processes work on one folder until each is killed at a random moment.
///
/// The folder persists from round to round. After every round, its files are checked directly, then through
/// a new engine, and leftovers of the killed processes are swept.
struct KillRounds {
    /// The totals of all rounds.
    struct Outcome: CustomStringConvertible {
        var rounds = 0, kills = 0
        var counts: [Tally: Int] = [:]
        /// Files that are not whole after the kills.
        var damagedFiles = 0
        /// Torn entries that a new engine served, and entries that it dropped.
        var damagedServed = 0, dropped = 0
        var wrongTotals = 0
        /// Unfinished files after the kills, and those that a sweep did not remove.
        var leftovers = 0, leftoversAfterSweep = 0
        var largestFolder = 0
        /// Interrupted downloads that were opened after the kills, and those with wrong bytes.
        var partials = 0, tornPartials = 0
        /// Their bytes after the kills and after a sweep, at most.
        var partialBytes = 0, partialBytesAfterSweep = 0
        /// Workers that ended before they were killed, and their output.
        var endedEarly = 0
        var messages: [String] = []

        func count(_ event: Tally) -> Int { counts[event] ?? 0 }

        var description: String {
            """
            \(rounds) rounds, \(kills) kills, \(count(.operations)) operations \
            (\(count(.hits)) hits, \(count(.misses)) misses, \(count(.failures)) failures), \
            at most \(largestFolder) entries; torn reads \(count(.tornHits)), torn files seen \(count(.tornFiles)), \
            damaged files after a kill \(damagedFiles), of these served \(damagedServed), dropped \(dropped); wrong counters \
            \(wrongTotals); leftovers \(leftovers), after a sweep \(leftoversAfterSweep); \
            interrupted downloads \(partials), of these torn \(tornPartials), at most \(partialBytes) bytes, \
            after a sweep \(partialBytesAfterSweep)
            """
        }
    }

    let root: String
    var folder: String { root + "/cache" }
    /// The longest time that workers run, from when all of them work; in microseconds.
    var longestLife: useconds_t = 250_000

    private(set) var outcome = Outcome()

    init() throws {
        root =
            FileManager.default.temporaryDirectory.appending(path: "kingfisher-kills-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    func cleanUp() { try? FileManager.default.removeItem(atPath: root) }

    /// Runs one round; call it on a thread that may sleep.
    mutating func run(_ roles: [String]) throws {
        let workers = try roles.enumerated().map { index, role in
            try Worker(role, on: folder, root + "/tally-\(outcome.rounds)-\(index)")
        }
        // The time starts when all workers work, not when they are launched.
        _ = waits { workers.allSatisfy { ($0.counts[.operations] ?? 0) > 0 || !$0.isRunning } }
        usleep(5_000 + .random(in: 0...longestLife))
        for worker in workers.shuffled() {
            if !worker.isRunning { outcome.endedEarly += 1 }
            worker.kill()
            // The other workers continue for a moment beside what this one left.
            if Bool.random() { usleep(.random(in: 0...20_000)) }
        }
        guard waits({ workers.allSatisfy { !$0.isRunning } }) else { throw POSIXError(.ETIMEDOUT) }
        for worker in workers {
            outcome.kills += worker.wasKilled ? 1 : 0
            outcome.counts.merge(worker.counts, uniquingKeysWith: +)
            outcome.messages += worker.lines()
        }
        outcome.rounds += 1
        try checkFolder()
    }

    private mutating func checkFolder() throws {
        let check = try FolderCheck(of: folder)
        outcome.damagedFiles += check.damaged
        outcome.leftovers += check.staged
        outcome.largestFolder = max(outcome.largestFolder, check.entries)

        let engine = DiskEngine(directory: folder)
        try engine.prepare()
        // Its first scan starts by itself.
        let isRight = waits {
            engine.statistics.entries == check.entries && engine.statistics.bytes == UInt(check.bytes)
        }
        if try !isRight || engine.totalSize() != UInt64(check.bytes) { outcome.wrongTotals += 1 }
        for key in CrashRoles.keys {
            guard let bytes = try engine.data(for: FolderCheck.name(of: key), extending: .none) else {
                continue
            }
            guard case .whole(let payload) = Payload.judge(bytes), payload.key == key else {
                outcome.damagedServed += 1
                continue
            }
        }

        outcome.dropped += engine.statistics.corruptEntriesDropped

        _ = try engine.removeExpired()
        outcome.leftoversAfterSweep += try FolderCheck(of: folder).staged
        outcome.partialBytes = max(outcome.partialBytes, check.partialBytes)
        try checkPartials()
    }

    private mutating func checkPartials() throws {
        let engine = DiskEngine(directory: folder, settings: DiskSettings(sizeLimit: CrashRoles.limit))
        try engine.prepare()
        _ = try engine.removeExpired()
        // The engine's first sweep may still hold a file that it is about to remove.
        let bound = Int(CrashRoles.limit) / 10
        _ = waits { (try? FolderCheck(of: folder).partialBytes <= bound) ?? false }
        let bytes = try FolderCheck(of: folder).partialBytes
        outcome.partialBytesAfterSweep = max(outcome.partialBytesAfterSweep, bytes)
        for key in CrashRoles.keys {
            guard let file = engine.bodies.openPartial(for: CrashRoles.url(of: key)) else { continue }
            outcome.partials += 1
            if CrashRoles.payload(of: file, key: key) == nil { outcome.tornPartials += 1 }
        }
    }

    /// Whether a condition becomes true within a minute, for busy disks. Polled, because another process
    /// makes it true.
    private func waits(_ condition: () -> Bool) -> Bool {
        for _ in 0..<30_000 {
            if condition() { return true }
            usleep(2_000)
        }
        return condition()
    }
}
