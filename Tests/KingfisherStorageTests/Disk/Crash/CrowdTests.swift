import Foundation
import KingfisherTestSupport
import Synchronization
import Testing

@testable import CacheWorker
@testable import KingfisherStorage

/// A folder of 5,000 entries that is opened and scanned; `scripts/crash crowd` measures it with 100,000.
struct CrowdTests {
    private func fill(_ engine: DiskEngine, _ count: Int) throws {
        for key in 0..<count {
            try engine.store(bytes(64), for: FolderCheck.name(of: key), expiration: .days(7))
        }
    }

    /// Opening looks at no entry: that is left to the background.
    @Test func openingDoesNotList() throws {
        let world = try DiskWorld()
        try fill(world.engine, 5_000)
        let work = ManualBackground()
        let engine = DiskEngine(
            directory: world.engine.directory, fileSystem: world.faults.fileSystem, clock: world.clock,
            background: work.work)
        _ = world.faults.takeCalls()
        try engine.prepare()
        #expect(world.faults.takeCalls().count < 10)
        #expect(work.delays.count == 1)
        #expect(engine.statistics.entries == 0)
    }

    /// The scan stands still amidst the folder, and reads, writes and removals go on all the same.
    @Test(.timeLimit(.minutes(1))) func scanThatStandsStillHoldsUpNobody() async throws {
        let count = 5_000
        let world = try DiskWorld()
        try fill(world.engine, count)
        let statuses = Counter()
        let stands = Atomic(false), mayGoOn = Atomic(false)
        let fileSystem = FileSystem { call, path in
            // Entries are looked at by their name in the open folder.
            guard call == .status, !path.hasPrefix("/"), !path.isEmpty, statuses.next() == count / 2 else {
                return 0
            }
            stands.store(true, ordering: .releasing)
            while !mayGoOn.load(ordering: .acquiring) { usleep(500) }
            return 0
        }
        let work = ManualBackground()
        let engine = DiskEngine(
            directory: world.engine.directory, fileSystem: fileSystem, clock: world.clock,
            background: work.work)
        try engine.prepare()
        let hasEnded = Atomic(false)
        Thread.detachNewThread {
            work.runAll()
            hasEnded.store(true, ordering: .releasing)
        }
        defer { mayGoOn.store(true, ordering: .releasing) }
        #expect(await poll { stands.load(ordering: .acquiring) })

        for key in 0..<500 {
            #expect(try engine.data(for: FolderCheck.name(of: key)) == bytes(64))
            try engine.store(bytes(32), for: FolderCheck.name(of: key), expiration: .days(7))
            #expect(engine.isCached(FolderCheck.name(of: key)))
        }
        for key in 500..<600 { try engine.remove(FolderCheck.name(of: key)) }
        for key in count..<(count + 100) {
            try engine.store(bytes(16), for: FolderCheck.name(of: key), expiration: .days(7))
        }
        #expect(stands.load(ordering: .acquiring) && !mayGoOn.load(ordering: .acquiring))

        mayGoOn.store(true, ordering: .releasing)
        #expect(await poll { hasEnded.load(ordering: .acquiring) })
        // What changed beside the scan counts as it is now, however far the scan was.
        #expect(engine.statistics.entries == count)
        let expected: UInt = 4_400 * 64 + 500 * 32 + 100 * 16
        #expect(engine.statistics.bytes == expected)
    }
}
