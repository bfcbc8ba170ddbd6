import Foundation
import Glibc
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherStorage

/// The size limit holds while the engine runs.
struct DiskUpkeepTests {
    private static let limit = 4 << 20
    private static let settings = DiskSettings(sizeLimit: UInt64(limit))

    private func fill(_ world: DiskWorld, _ count: Int, size: Int = 64 << 10) throws {
        for number in 0..<count {
            try world.store(bytes(size, seed: UInt64(number)), "\(number)", .never)
            world.clock.advance(by: 1)
        }
    }

    @Test func sweepsTheLeastRecentlyUsedToNineTenths() throws {
        let world = try DiskWorld(settings: Self.settings)
        try fill(world, 66)
        #expect(world.names().count == 66, "Sweeps run only in the background")
        #expect(world.background.delays == [0])
        _ = try world.load("0")
        world.background.runAll()
        #expect(world.isCached("0") && world.isCached("65"))
        #expect(!world.isCached("1"))
        let total = Int(try world.engine.totalSize())
        #expect(total <= Self.limit * 9 / 10 && total > Self.limit * 9 / 10 - (64 << 10))
        #expect(world.engine.statistics.bytes == UInt(total))
        #expect(world.engine.statistics.entries == world.names().count)
        #expect(world.engine.statistics.evictions == 66 - world.names().count)
    }

    @Test func expiredEntriesAreRemovedFirst() throws {
        let world = try DiskWorld(settings: Self.settings)
        try fill(world, 30)
        for number in 30..<66 { try world.store(bytes(64 << 10), "\(number)", .seconds(5)) }
        world.clock.advance(by: 6)
        world.background.runAll()
        #expect(world.engine.statistics.evictions == 0, "No entry was evicted by the limit")
        #expect(Set(world.names()) == Set((0..<30).map { world.name("\($0)").rawValue }))
    }

    @Test func sweepsNothingWithoutALimitOrBelowIt() throws {
        let world = try DiskWorld()
        try fill(world, 70)
        world.background.runAll()
        #expect(world.names().count == 70)
        world.engine.settings.sizeLimit = UInt64(Self.limit * 2)
        world.background.runAll()
        #expect(world.names().count == 70)
        // A lowered limit is enforced without another store.
        world.engine.settings.sizeLimit = UInt64(Self.limit)
        world.background.runAll()
        #expect(world.names().count == 57)
    }

    @Test(
        "A writer that is faster than the background sweeps, too, and the folder stays near its limit"
    )
    func writersSweep() throws {
        let world = try DiskWorld(settings: Self.settings)
        var most = 0
        for number in 0..<300 {
            try world.store(bytes(64 << 10), "\(number)", .never)
            most = max(most, Int(try world.engine.totalSize()))
        }
        #expect(world.engine.statistics.evictions > 0, "Only writers have swept")
        #expect(most <= Self.limit + 2 * DiskCap(limit: UInt64(Self.limit)).interval)
    }

    @Test func unsweepableFolderDoesNotBlockWriters() throws {
        let world = try DiskWorld(settings: Self.settings)
        world.faults.fail(.unlink, with: EROFS)
        try fill(world, 200)
        world.background.runAll()
        #expect(world.names().count == 200)
        world.faults.fail(.list, with: EMFILE)
        try fill(world, 300)
        world.faults.stopFailing()
        try fill(world, 100)
        world.background.runAll()
        #expect(try world.engine.totalSize() <= Self.limit)
    }

    @Test func entriesOfAnotherProcessAreFoundAndSwept() throws {
        let world = try DiskWorld(settings: Self.settings)
        try fill(world, 30)
        world.background.runAll()
        let other = try world.otherEngine()
        for number in 100..<140 {
            try other.store(bytes(64 << 10), for: world.name("\(number)"), expiration: .never)
        }
        #expect(world.engine.statistics.entries == 30)
        // Enough own writes to start a scan.
        for number in 200..<240 { try world.store(bytes(64 << 10), "\(number)", .never) }
        world.background.runAll()
        #expect(try world.engine.totalSize() <= Self.limit)
        #expect(Int(world.engine.statistics.bytes) == Int(try world.engine.totalSize()))
    }

    @Test("A victim that was read or stored after its selection is not removed")
    func victimsAreCheckedAgain() throws {
        let unlinked = Counter()
        let done = DispatchSemaphore(value: 0)
        let root = try DiskWorld(prepared: false)
        let engine = Mutex<DiskEngine?>(nil)
        // At the first removal of a sweep, later victims are read and stored.
        let system = FileSystem { call, _ in
            if call == .unlink, unlinked.next() == 1, let engine = engine.withLock({ $0 }) {
                Thread {
                    _ = try? engine.data(for: root.name("3"))
                    try? engine.store(bytes(64 << 10), for: root.name("4"), expiration: .never)
                    done.signal()
                }.start()
                done.wait()
            }
            return 0
        }
        let cache = DiskEngine(
            directory: root.engine.directory, settings: Self.settings, fileSystem: system, clock: root.clock,
            background: root.background.work)
        try cache.prepare()
        root.background.runAll()
        engine.withLock { $0 = cache }
        defer { engine.withLock { $0 = nil } }
        for number in 0..<66 {
            try cache.store(bytes(64 << 10), for: root.name("\(number)"), expiration: .never)
            root.clock.advance(by: 1)
        }
        root.background.runAll()
        #expect(cache.isCached(root.name("3")) && cache.isCached(root.name("4")))
        #expect(!cache.isCached(root.name("2")) && !cache.isCached(root.name("5")))
    }

    @Test("A scan holds no key queue: gets, puts and removals of any key proceed")
    func scanHoldsNoKeyQueue() throws {
        let world = try DiskWorld(prepared: false)
        let engine = Mutex<DiskEngine?>(nil)
        let completed = Counter()
        let done = DispatchSemaphore(value: 0)
        let system = FileSystem { call, path in
            // In the middle of the scan, which reads the status of names relative to the open folder.
            if call == .status, !path.hasPrefix("/"), !path.isEmpty,
                let engine = engine.withLock({ $0.take() })
            {
                Thread {
                    for key in 0..<64 {
                        try? engine.store(bytes(5), for: world.name("new \(key)"), expiration: .never)
                        if (try? engine.data(for: world.name("\(key)"))) != nil { _ = completed.next() }
                        try? engine.remove(world.name("\(key)"))
                    }
                    done.signal()
                }.start()
                done.wait()
            }
            return 0
        }
        let cache = DiskEngine(
            directory: world.engine.directory, fileSystem: system, clock: world.clock,
            background: world.background.work)
        try FileManager.default.createDirectory(
            atPath: world.engine.directory, withIntermediateDirectories: false)
        try cache.prepare()
        for key in 0..<64 { try cache.store(bytes(3), for: world.name("\(key)"), expiration: .never) }
        engine.withLock { $0 = cache }
        world.background.runAll()
        #expect(completed.next() == 65)
        #expect(cache.statistics.entries == 64 && cache.statistics.bytes == 64 * 5)
        #expect(world.names().count == 64)
    }

    @Test("A sweep that a writer leaves unfinished is finished in the background, and its lock is released")
    func unfinishedSweep() throws {
        let world = try DiskWorld(settings: Self.settings)
        try fill(world, 65)
        world.background.runAll()
        #expect(world.names().count == 65)
        // With this entry, the folder exceeds the limit by more than one interval, so the writer sweeps one
        // slice, which leaves one victim.
        try world.store(bytes(2_044_723), "large", .never)
        #expect(world.names().count == 65 - 32 + 1)
        #expect(SweepLock(of: world.engine.directory, FileSystem(), attempts: 1) == nil)
        #expect(world.background.delays == [0])
        world.background.runAll()
        #expect(SweepLock(of: world.engine.directory, FileSystem(), attempts: 1) != nil)
        #expect(world.isCached("large"))
    }

    @Test(
        "Raising or removing the limit ends a sweep after the current slice",
        arguments: [0, 1 << 30])
    func limitChangedDuringASweep(limit: UInt64) throws {
        let world = try DiskWorld()
        try fill(world, 200)
        let engine = world.engine
        world.faults.fail { [weak engine] call, _ in
            if call == .unlink { engine?.settings.sizeLimit = limit }
            return 0
        }
        engine.settings.sizeLimit = UInt64(Self.limit)
        world.background.runAll()
        #expect(world.names().count == 200 - 32)
    }

    @Test("Room is made for an image of most of the limit before it is stored")
    func roomForLargeFiles() throws {
        let world = try DiskWorld(settings: Self.settings)
        try fill(world, 60)
        try world.store(bytes(3 << 20), "large", .never)
        #expect(Int(try world.engine.totalSize()) <= Self.limit + DiskCap(limit: UInt64(Self.limit)).interval)
    }

    @Test("A writer does not wait for the end of another process's sweep")
    func foreignLockDelaysWritersBriefly() throws {
        let world = try DiskWorld(settings: Self.settings)
        try fill(world, 96)
        let lock = try #require(SweepLock(of: world.engine.directory, FileSystem(), attempts: 1))
        _ = world.faults.takeCalls()
        try world.store(bytes(64 << 10), "next", .never)
        let attempts = world.faults.takeCalls().count { $0.name == .lock }
        #expect(attempts == DiskUpkeep.writersAttempts)
        #expect(world.engine.statistics.evictions > 0, "Sweeps without the lock")
        withExtendedLifetime(lock) {}
    }

    @Test("Only one engine sweeps at a time")
    func oneSweeper() throws {
        let world = try DiskWorld(settings: Self.settings)
        do {
            let lock = try #require(SweepLock(of: world.engine.directory, FileSystem(), attempts: 1))
            #expect(SweepLock(of: world.engine.directory, FileSystem(), attempts: 2) == nil)
            withExtendedLifetime(lock) {}
        }
        try fill(world, 66)
        let other = DiskEngine(
            directory: world.engine.directory, settings: Self.settings, clock: world.clock,
            background: world.background.work)
        try other.prepare()
        world.background.runAll()
        #expect(world.engine.statistics.evictions + other.statistics.evictions == 66 - world.names().count)
        #expect(world.names().count == 57)
        #expect(world.names(in: "") == ["cache", "cache.staging"], "The lock needs no file")
    }

    @Test func lockIsReleasedWithItsHolder() throws {
        let world = try DiskWorld()
        do {
            let lock = SweepLock(of: world.engine.directory, FileSystem(), attempts: 1)
            #expect(lock != nil)
        }
        #expect(SweepLock(of: world.engine.directory, FileSystem(), attempts: 1) != nil)
        #expect(SweepLock(of: world.engine.directory, world.faults.fileSystem, attempts: 1) != nil)
        world.faults.fail(.lock, with: ENOLCK)
        #expect(SweepLock(of: world.engine.directory, world.faults.fileSystem) == nil, "Immediately")
    }
}
