import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

struct DiskStatisticsTests {
    @Test func countsOperations() throws {
        let world = try DiskWorld()
        try world.store(bytes(10), "a")
        try world.store(bytes(20), "b")
        try world.store(bytes(5), "a")
        _ = try world.load("a")
        _ = try world.load("absent")
        _ = world.isCached("a")
        try world.rewrite("b") { $0[3] ^= 1 }
        _ = try world.load("b")
        let statistics = world.engine.statistics
        #expect(statistics.entries == 1 && statistics.bytes == 5)
        #expect(statistics.hits == 1 && statistics.misses == 2)
        #expect(statistics.corruptEntriesDropped == 1 && statistics.evictions == 0)
        world.clock.advance(by: 1)
        try world.store(bytes(9), "c")
        _ = try world.engine.removeSizeExceeded(limit: 10)
        #expect(world.engine.statistics.evictions == 2)
        #expect(world.engine.statistics.entries == 0)
    }

    @Test("Expired entries do not count as evictions")
    func expiredIsNotEvicted() throws {
        let world = try DiskWorld()
        try world.store(count: 4, expired: 2)
        let removed = try world.engine.removeSizeExceeded(limit: 20)
        #expect(removed == (0..<3).map { world.name("\($0)").rawValue })
        #expect(world.engine.statistics.evictions == 1)
    }

    @Test func scanCountsExistingEntries() throws {
        let world = try DiskWorld()
        for number in 0..<5 { try world.store(bytes(10), "\(number)") }
        let other = try world.otherEngine()
        #expect(other.statistics.entries == 0)
        try other.remove(world.name("1"))
        #expect(other.statistics.entries == 0 && other.statistics.bytes == 0)
        world.background.runAll()
        #expect(other.statistics.entries == 4 && other.statistics.bytes == 40)
    }

    @Test("Without checksum verification, lengths are still compared")
    func withoutChecksum() throws {
        let world = try DiskWorld(settings: DiskSettings(verifiesChecksum: false))
        try world.store(bytes(20), "key")
        try world.rewrite("key") { $0[3] ^= 1 }
        #expect(try world.load("key") != nil)
        try world.rewrite("key") { $0.removeLast() }
        #expect(try world.load("key") == nil)
        #expect(world.engine.statistics.corruptEntriesDropped == 1)
    }

    @Test("With sync, the content is synced before the rename and the folder after it")
    func syncOrder() throws {
        let world = try DiskWorld(settings: DiskSettings(syncsWrites: true))
        try world.store(bytes(20), "first")
        _ = world.faults.takeCalls()
        try world.store(bytes(20), "key")
        let calls = world.faults.takeCalls().map(\.name)
        #expect(
            calls == [
                .open, .write, .setAttribute, .setTimes, .status, .sync, .close, .status, .rename, .status,
                .open, .sync,
            ])
        world.faults.fail(.sync, with: EIO)
        #expect(throws: DiskStorageFailure.self) { try world.store(bytes(30), "key") }
        world.faults.stopFailing()
        #expect(try world.load("key") == bytes(20))
        #expect(world.names(in: "cache.staging").isEmpty)
        #expect(world.engine.statistics.bytes == 40)
    }

    /// The folders that were opened for a sync, from the cache folder upwards.
    private func syncedFolders(_ world: DiskWorld, _ key: String) throws -> [String] {
        _ = world.faults.takeCalls()
        try world.store(bytes(10), key)
        let calls = world.faults.takeCalls()
        return zip(calls, calls.dropFirst()).compactMap {
            $0.name == .open && $1.name == .sync ? $0.path : nil
        }
    }

    @Test("With sync, every parent folder is synced once after it may have been created")
    func syncedFoldersAbove() throws {
        let world = try DiskWorld(folder: "made/now/cache", settings: DiskSettings(syncsWrites: true))
        let folder = world.engine.directory
        let made = ["", "/now", "/now/cache"].map { world.root + "/made" + $0 }
        let first = try syncedFolders(world, "first")
        #expect(first.starts(with: made.reversed() + [world.root]))
        #expect(try syncedFolders(world, "second") == [folder])
        try FileManager.default.removeItem(atPath: world.root + "/made")
        #expect(try syncedFolders(world, "third").contains(folder))
        #expect(try syncedFolders(world, "fourth") == [folder])
    }

    @Test(
        "With sync, the parent folders of a link's target are synced, too",
        arguments: ["link", "link/cache", "link/made/cache"])
    func syncedFoldersBehindLinks(path: String) throws {
        let world = try DiskWorld(
            folder: path, prepared: false, settings: DiskSettings(syncsWrites: true))
        let real = world.root + "/real"
        try FileManager.default.createDirectory(atPath: real + "/below", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: world.root + "/link", withDestinationPath: real + "/below")
        try world.engine.prepare()
        world.background.runAll()
        let synced = try syncedFolders(world, "first")
        #expect(synced.contains(try #require(try FileSystem().resolve(real))))
        #expect(synced.contains(world.root), "The link's own name")
        #expect(try syncedFolders(world, "second") == [world.engine.directory])
    }

    @Test("With sync, an unsyncable parent folder fails the store; an unreadable one does not")
    func parentFolderThatCannotBeSynced() throws {
        let world = try DiskWorld(folder: "made/cache", settings: DiskSettings(syncsWrites: true))
        let root = world.root
        world.faults.fail { call, path in call == .open && path == root ? EMFILE : 0 }
        #expect(throws: DiskStorageFailure.self) { try world.store(bytes(10), "key") }
        world.faults.fail { call, path in call == .open && path == root ? EACCES : 0 }
        try world.store(bytes(10), "key")
    }

    /// Random operations beside scans and sweeps in other threads; afterwards the counters must equal the
    /// folder's content.
    @Test(arguments: [1, 2, 3])
    func counterIsExact(seed: UInt64) throws {
        let world = try DiskWorld(prepared: false)
        let engine = DiskEngine(
            directory: world.engine.directory, settings: DiskSettings(sizeLimit: 3 << 20), clock: world.clock,
            background: world.background.work)
        try engine.prepare()
        DispatchQueue.concurrentPerform(iterations: 6) { thread in
            var random = SeededGenerator(seed: seed * 100 + UInt64(thread))
            for _ in 0..<300 {
                let name = world.name("\(Int.random(in: 0..<80, using: &random))")
                switch Int.random(in: 0..<20, using: &random) {
                case 0..<10:
                    let size = Int.random(in: 1...100_000, using: &random)
                    try? engine.store(Data(repeating: 1, count: size), for: name, expiration: .days(1))
                case 10..<13: try? engine.remove(name)
                case 13: engine.settings.sizeLimit = UInt64.random(in: 1...4, using: &random) << 20
                case 14: _ = try? engine.removeSizeExceeded(limit: 3 << 20)
                case 15: world.background.runAll()
                default: _ = try? engine.data(for: name)
                }
            }
        }
        world.background.runAll()
        #expect(Int(engine.statistics.bytes) == Int(try engine.totalSize()))
        #expect(engine.statistics.entries == world.names().count)
        try engine.removeAll()
        #expect(engine.statistics.entries == 0 && engine.statistics.bytes == 0)
    }
}
