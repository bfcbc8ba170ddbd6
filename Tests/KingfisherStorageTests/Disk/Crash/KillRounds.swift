import Foundation

@testable import CacheWorker
@testable import KingfisherStorage

/// Rounds in which processes work on one folder until each is killed at a moment of its own.
///
/// The folder stays from round to round. After every round it is looked at as it lies there, then through a
/// new engine, then it is swept of what the dead left.
struct KillRounds {
    /// What came of it; the test says what may.
    struct Outcome: CustomStringConvertible {
        var rounds = 0, kills = 0
        var counts: [Tally: Int] = [:]
        /// Files under an entry's name that are not whole, after the kills.
        var damagedFiles = 0
        /// What a new engine served that was not whole, and what it threw away.
        var damagedServed = 0, dropped = 0
        var wrongTotals = 0
        /// Unfinished files after the kills, and those that a sweep did not take.
        var leftovers = 0, leftoversAfterSweep = 0
        var largestFolder = 0
        /// Workers that ended by themselves, and what they said.
        var endedEarly = 0
        var words: [String] = []

        func count(_ event: Tally) -> Int { counts[event] ?? 0 }

        var description: String {
            """
            \(rounds) rounds, \(kills) kills, \(count(.operations)) operations \
            (\(count(.hits)) hits, \(count(.misses)) misses, \(count(.failures)) failures), \
            at most \(largestFolder) entries; torn reads \(count(.tornHits)), torn files seen \(count(.tornFiles)), \
            damaged files after a kill \(damagedFiles), of these served \(damagedServed), dropped \(dropped); wrong counters \
            \(wrongTotals); leftovers \(leftovers), after a sweep \(leftoversAfterSweep)
            """
        }
    }

    let root: String
    var folder: String { root + "/cache" }
    /// The longest that workers live, from when all of them work; in microseconds.
    var longestLife: useconds_t = 250_000

    private(set) var outcome = Outcome()

    init() throws {
        root =
            FileManager.default.temporaryDirectory.appending(path: "kingfisher-kills-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    func cleanUp() { try? FileManager.default.removeItem(atPath: root) }

    /// Plays one round; on a thread that may sleep.
    mutating func run(_ roles: [String]) throws {
        let workers = try roles.enumerated().map { index, role in
            try Worker(role, on: folder, root + "/tally-\(outcome.rounds)-\(index)")
        }
        // The moments are random among work, not among starts.
        _ = waits { workers.allSatisfy { ($0.counts[.operations] ?? 0) > 0 || !$0.isRunning } }
        usleep(5_000 + .random(in: 0...longestLife))
        for worker in workers.shuffled() {
            if !worker.isRunning { outcome.endedEarly += 1 }
            worker.kill()
            // The others go on for a moment beside what this one left.
            if Bool.random() { usleep(.random(in: 0...20_000)) }
        }
        guard waits({ workers.allSatisfy { !$0.isRunning } }) else { throw POSIXError(.ETIMEDOUT) }
        for worker in workers {
            outcome.kills += worker.wasKilled ? 1 : 0
            outcome.counts.merge(worker.counts, uniquingKeysWith: +)
            outcome.words += worker.lines()
        }
        outcome.rounds += 1
        try lookAtWhatIsLeft()
    }

    private mutating func lookAtWhatIsLeft() throws {
        let check = try FolderCheck(of: folder)
        outcome.damagedFiles += check.damaged
        outcome.leftovers += check.staged
        outcome.largestFolder = max(outcome.largestFolder, check.entries)

        let engine = DiskEngine(directory: folder)
        try engine.prepare()
        // Its first scan begins by itself.
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
    }

    /// Whether a condition comes true within half a minute.
    private func waits(_ condition: () -> Bool) -> Bool {
        for _ in 0..<15_000 where !condition() { usleep(2_000) }
        return condition()
    }
}
