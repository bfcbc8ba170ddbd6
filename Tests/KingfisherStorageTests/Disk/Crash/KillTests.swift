import Foundation
import Testing

@testable import CacheWorker

/// Two writers, a reader and a sweeper, as processes on one folder, are killed at random moments: ten rounds,
/// with `KINGFISHER_SOAK=1` two hundred.
struct KillTests {
    private static let isLong = ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] != nil

    @Test(.timeLimit(.minutes(isLong ? 20 : 5))) func killedProcessesLeaveNoTornFiles() async throws {
        let outcome = try await onOwnThread {
            var rounds = try KillRounds()
            defer { rounds.cleanUp() }
            if Self.isLong { rounds.longestLife = 800_000 }
            for _ in 0..<(Self.isLong ? 200 : 10) {
                try rounds.run(["write", "write", "read", "sweep"])
            }
            return rounds.outcome
        }
        print("kill test: \(outcome)")
        #expect(outcome.kills == outcome.rounds * 4 && outcome.endedEarly == 0, "\(outcome.messages)")
        #expect(outcome.count(.hits) > 0 && outcome.largestFolder > 0)
        #expect(outcome.count(.tornHits) == 0)
        #expect(outcome.count(.tornFiles) == 0)
        #expect(outcome.count(.failures) == 0, "\(outcome.messages)")
        #expect(outcome.damagedFiles == 0)
        #expect(outcome.damagedServed == 0 && outcome.dropped == 0)
        #expect(outcome.wrongTotals == 0)
        #expect(outcome.leftoversAfterSweep == 0)
    }

    /// The same with bodies that are received into files and continued: 1,250 rounds of eight kills with
    /// `KINGFISHER_SOAK=1`.
    @Test(.timeLimit(.minutes(isLong ? 120 : 5))) func killedDownloadsLeaveNoTornFiles() async throws {
        let roles = ["stream", "stream", "resume", "resume", "resume", "resume", "sweep", "sweep"]
        let outcome = try await onOwnThread {
            var rounds = try KillRounds()
            defer { rounds.cleanUp() }
            rounds.longestLife = 60_000
            for _ in 0..<(Self.isLong ? 1_250 : 5) { try rounds.run(roles) }
            return rounds.outcome
        }
        print("killed downloads: \(outcome)")
        #expect(
            outcome.kills == outcome.rounds * roles.count && outcome.endedEarly == 0, "\(outcome.messages)")
        #expect(outcome.count(.hits) > 0 && outcome.partials > 0 && outcome.largestFolder > 0)
        #expect(outcome.count(.tornHits) == 0 && outcome.tornPartials == 0)
        #expect(outcome.count(.failures) == 0, "\(outcome.messages)")
        #expect(outcome.damagedFiles == 0 && outcome.damagedServed == 0 && outcome.dropped == 0)
        #expect(outcome.leftoversAfterSweep == 0)
        #expect(outcome.partialBytesAfterSweep <= Int(CrashRoles.limit) / 10)
    }

    /// The control: the same harness must detect the torn files of writers that write in place.
    @Test(.timeLimit(.minutes(5))) func writingInPlaceIsDetected() async throws {
        let outcome = try await onOwnThread {
            var rounds = try KillRounds()
            defer { rounds.cleanUp() }
            while rounds.outcome.count(.tornFiles) == 0 || rounds.outcome.damagedFiles == 0 {
                try rounds.run(["write", "write-in-place", "write-in-place", "read"])
                guard rounds.outcome.rounds < 60 else { break }
            }
            return rounds.outcome
        }
        print("writing in place: \(outcome)")
        #expect(outcome.count(.tornFiles) > 0)
        #expect(outcome.damagedFiles > 0)
    }
}
