import Foundation
import KingfisherTestSupport
import Synchronization
import Testing

@testable import CacheWorker
@testable import KingfisherStorage

/// Opens and scans a folder of 5,000 entries; `scripts/crash crowd` measures it with 100,000.
struct CrowdTests {
    private func fill(_ engine: DiskEngine, _ count: Int) throws {
        for key in 0..<count {
            try engine.store(bytes(64), for: FolderCheck.name(of: key), expiration: .days(7))
        }
    }

    /// Reads and replaces 500 of the entries, removes 100, and adds 100.
    private func change(_ engine: DiskEngine, of count: Int) throws {
        for key in 0..<500 {
            #expect(try engine.data(for: FolderCheck.name(of: key)) == bytes(64))
            try engine.store(bytes(32), for: FolderCheck.name(of: key), expiration: .days(7))
            #expect(engine.isCached(FolderCheck.name(of: key)))
        }
        for key in 500..<600 { try engine.remove(FolderCheck.name(of: key)) }
        for key in count..<(count + 100) {
            try engine.store(bytes(16), for: FolderCheck.name(of: key), expiration: .days(7))
        }
    }

    @Test func openingListsNoEntry() throws {
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

    /// While the scan is blocked in the middle of the folder, reads, writes and removals complete.
    @Test(.timeLimit(.minutes(1))) func blockedScanDelaysNoOperation() async throws {
        let count = 5_000
        let world = try DiskWorld()
        try fill(world.engine, count)
        let statuses = Counter()
        let isBlocked = Atomic(false), mayContinue = Atomic(false)
        let fileSystem = FileSystem { call, path in
            // The scan reads the status of entries by their name in the open folder.
            guard call == .status, !path.hasPrefix("/"), !path.isEmpty, statuses.next() == count / 2 else {
                return 0
            }
            isBlocked.store(true, ordering: .releasing)
            while !mayContinue.load(ordering: .acquiring) { usleep(500) }
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
        defer { mayContinue.store(true, ordering: .releasing) }
        #expect(await poll { isBlocked.load(ordering: .acquiring) })
        try change(engine, of: count)
        #expect(isBlocked.load(ordering: .acquiring) && !mayContinue.load(ordering: .acquiring))

        mayContinue.store(true, ordering: .releasing)
        #expect(await poll { hasEnded.load(ordering: .acquiring) })
        // Changes during the scan are counted once, on both sides of its position.
        #expect(engine.statistics.entries == count)
        let (whole, halved, added) = (4_400 * 64, 500 * 32, 100 * 16)
        #expect(engine.statistics.bytes == UInt(whole + halved + added))
    }
}
