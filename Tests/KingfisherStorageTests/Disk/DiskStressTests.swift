import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

/// Eight threads run random operations on one engine: for two seconds, with `KINGFISHER_SOAK=1` for thirty.
///
/// Every thread has a separate set of keys, which must behave like its dictionary. Some keys are shared;
/// what each thread read of them must be possible (`SharedKeyHistory`). The threads work in phases;
/// between two phases all rest, the whole folder is compared, and the clock advances.
struct DiskStressTests {
    private static let isLong = ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] != nil

    @Test(.timeLimit(.minutes(5))) func behavesLikeTheModel() async throws {
        let seed = UInt64.random(in: .min ... .max)
        let world = try DiskWorld()
        let engine = DiskEngine(directory: world.engine.directory, clock: world.clock)
        try engine.prepare()
        var random = SeededGenerator(seed: seed)
        var stress = DiskStress(engine: engine, clock: world.clock)
        let end = ContinuousClock.now + .seconds(Self.isLong ? 30 : 2)
        while ContinuousClock.now < end, stress.differences.isEmpty {
            await stress.runPhase(seed: random.next())
            try stress.compareAtRest(using: &random)
            world.clock.advance(by: TimeInterval(Int.random(in: 0...4, using: &random)))
        }
        print("disk stress: seed \(seed), \(stress.phases) phases, \(stress.operations) operations")
        #expect(stress.differences == [], "seed \(seed)")
        #expect(stress.operations > (Self.isLong ? 10_000 : 0))
    }

    /// The check of histories must find impossible reads, and no others.
    @Test func historyFindsContradictions() {
        func history(_ events: (SharedKeyHistory.Action, Int, Int)...) -> [String] {
            SharedKeyHistory(events: events.map { .init(action: $0, begin: $1, end: $2) }).contradictions
        }
        // A read that overlaps a write may return either value; after it, only the new one.
        #expect(history((.stored(1), 0, 1), (.stored(2), 2, 5), (.read(1), 3, 4), (.read(2), 3, 4)).isEmpty)
        #expect(history((.stored(1), 0, 1), (.stored(2), 2, 3), (.read(2), 4, 5)).isEmpty)
        #expect(!history((.stored(1), 0, 1), (.stored(2), 2, 3), (.read(1), 4, 5)).isEmpty)
        #expect(!history((.stored(1), 0, 1), (.read(7), 2, 3)).isEmpty)
        #expect(!history((.read(1), 0, 1), (.stored(1), 2, 3)).isEmpty)
        // Absent before the first write and after a removal, but not after a write.
        #expect(history((.read(nil), 0, 1), (.stored(1), 2, 3), (.removed, 4, 5), (.read(nil), 6, 7)).isEmpty)
        #expect(!history((.stored(1), 0, 1), (.read(nil), 2, 3)).isEmpty)
        #expect(!history((.stored(1), 0, 1), (.removed, 2, 3), (.read(1), 4, 5)).isEmpty)
    }
}
