import Foundation
import Testing

@testable import CacheWorker

/// Two writers, a reader and a sweeper, as processes on one folder, are killed at random moments: ten rounds,
/// with `KINGFISHER_SOAK=1` two hundred.
struct KillTests {
    private static let isLong = ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] != nil

    @Test(.timeLimit(.minutes(isLong ? 20 : 2))) func killedProcessesTearNothing() async throws {
        var rounds = try KillRounds()
        defer { rounds.cleanUp() }
        if Self.isLong { rounds.longestLife = .milliseconds(800) }
        for _ in 0..<(Self.isLong ? 200 : 10) {
            try await rounds.run(["write", "write", "read", "sweep"])
        }
        let outcome = rounds.outcome
        print("kill test: \(outcome)")
        #expect(outcome.kills == outcome.rounds * 4 && outcome.endedEarly == 0, "\(outcome.words)")
        #expect(outcome.count(.hits) > 0 && outcome.largestFolder > 0)
        #expect(outcome.count(.tornHits) == 0)
        #expect(outcome.count(.tornFiles) == 0)
        #expect(outcome.count(.failures) == 0, "\(outcome.words)")
        #expect(outcome.damagedFiles == 0)
        #expect(outcome.damagedServed == 0)
        #expect(outcome.wrongTotals == 0)
        #expect(outcome.leftoversAfterSweep == 0)
    }

    /// The same harness with writers that write in place, as the original's do: it must find what they tear, and the
    /// engine must serve none of it.
    @Test(.timeLimit(.minutes(2))) func writingInPlaceIsFoundOut() async throws {
        var rounds = try KillRounds()
        defer { rounds.cleanUp() }
        while rounds.outcome.count(.tornFiles) == 0 || rounds.outcome.damagedFiles == 0 {
            try await rounds.run(["write", "write-in-place", "write-in-place", "read"])
            guard rounds.outcome.rounds < 60 else { break }
        }
        print("writing in place: \(rounds.outcome)")
        #expect(rounds.outcome.count(.tornFiles) > 0)
        #expect(rounds.outcome.damagedFiles > 0)
        #expect(rounds.outcome.count(.tornHits) == 0)
        #expect(rounds.outcome.damagedServed == 0)
    }
}
