import Foundation
import Glibc
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import CacheWorker
@testable import KingfisherStorage

/// Accesses are collected in memory and written once a second.
struct DiskAccessTests {
    private func isClose(_ one: Date, _ other: Date) -> Bool { abs(one.timeIntervalSince(other)) < 1e-5 }

    @Test func readsAreWrittenOnceASecond() throws {
        let world = try DiskWorld()
        for key in ["a", "b"] { try world.store(bytes(3), key) }
        let before = try world.status("a")
        world.clock.advance(by: 1)
        _ = world.faults.takeCalls()
        for _ in 0..<10 {
            _ = try world.load("a", .cacheTime)
            _ = try world.load("b")
        }
        #expect(!world.faults.takeCalls().contains { $0.name == .setTimes })
        #expect(try world.status("a").modified == before.modified)
        #expect(world.background.delays == [1])
        world.background.runAll()
        #expect(world.faults.takeCalls().filter { $0.name == .setTimes }.count == 2)
        #expect(isClose(try world.status("a").modified, world.clock.now + 100))
        #expect(isClose(try world.status("b").accessed, world.clock.now))
        _ = try world.load("a")
        #expect(world.background.delays == [1])
    }

    @Test(
        "After an engine's release, pending accesses are written in the background"
    )
    func writtenAfterRelease() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(10))
        world.clock.advance(by: 5)
        do {
            let other = try world.otherEngine()
            #expect(try other.data(for: world.name("key")) != nil)
        }
        #expect(isClose(try world.status("key").modified, world.clock.now + 5))
        world.background.runAll()
        #expect(isClose(try world.status("key").modified, world.clock.now + 10))
    }

    @Test("A file that replaces the entry during the write of its times keeps its own times")
    func fileReplacedDuringTheWrite() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(10))
        world.clock.advance(by: 1)
        _ = try world.load("key", .cacheTime)
        let other = try world.otherEngine()
        let name = world.name("key")
        let stored = Counter()
        world.faults.fail { call, _ in
            if call == .setTimes, stored.next() == 1 {
                try? other.store(bytes(4), for: name, expiration: .seconds(3))
            }
            return 0
        }
        world.engine.writePendingAccesses()
        #expect(stored.next() == 2)
        #expect(isClose(try world.status("key").modified, world.clock.now + 3))
    }

    @Test("A process that exits writes its pending accesses")
    func writtenAtExit() throws {
        let world = try DiskWorld(prepared: false)
        let folder = world.engine.directory
        let engine = DiskEngine(directory: folder)
        try engine.prepare()
        let name = FolderCheck.name(of: 0)
        try engine.store(bytes(5), for: name, expiration: .days(1))
        let soon = Date().addingTimeInterval(600)
        do {
            let file = try FileSystem().openForReading(engine.path(of: name))
            try FileSystem().setTimes(of: file, accessed: Date().addingTimeInterval(-1_000), modified: soon)
        }
        let worker = try Worker("read-once", on: folder)
        #expect(worker.succeeded)
        let status = try FileSystem().status(of: engine.path(of: name))
        #expect(status.accessed > Date().addingTimeInterval(-500))
        #expect(status.modified > soon.addingTimeInterval(3_600))
    }

    @Test("A sweep respects reads that are not written yet", .behaviours("C-32"))
    func sweepRespectsPendingReads() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(10))
        world.clock.advance(by: 9)
        _ = try world.load("key", .cacheTime)
        world.clock.advance(by: 2)
        #expect(try world.engine.removeExpired() == [])
        world.clock.advance(by: 9)
        #expect(try world.engine.removeExpired().count == 1)
    }

    /// A file that another process stored after the read must not get the times of that read.
    @Test func replacedFileKeepsItsTimes() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(10))
        world.clock.advance(by: 1)
        _ = try world.load("key", .cacheTime)
        let other = try world.otherEngine()
        try other.store(bytes(4), for: world.name("key"), expiration: .seconds(3))
        let expiry = world.clock.now + 3
        world.clock.advance(by: 1)
        world.engine.writePendingAccesses()
        #expect(isClose(try world.status("key").modified, expiry))
        // The same file with other times, because the other process renewed it.
        _ = try world.load("key", .cacheTime)
        #expect(other.renew(world.name("key"), expiration: .seconds(50)))
        world.engine.writePendingAccesses()
        #expect(isClose(try world.status("key").modified, world.clock.now + 50))
    }

    @Test func linksAreNotFollowed() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key")
        world.clock.advance(by: 1)
        _ = try world.load("key")
        let target = world.root + "/target"
        makeFile(target, bytes(3))
        let before = try FileSystem().status(of: target)
        #expect(unlink(world.path("key")) == 0 && symlink(target, world.path("key")) == 0)
        world.engine.writePendingAccesses()
        let after = try FileSystem().status(of: target)
        #expect(after.modified == before.modified && after.accessed == before.accessed)
    }

    @Test("A store discards a pending read of the same engine")
    func storingDiscardsPendingReads() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(10))
        _ = try world.load("key", .cacheTime)
        try world.store(bytes(4), "key", .seconds(2))
        world.clock.advance(by: 3)
        #expect(!world.isCached("key"))
        #expect(try world.load("key") == nil)
        #expect(try world.engine.removeExpired().count == 1)
    }

    @Test func fullTableWritesImmediately() throws {
        let world = try DiskWorld()
        let accounting = world.engine.accounting
        try world.store(bytes(3), "key")
        let access = PendingAccesses.Access(
            device: 0, inode: 0, modified: .distantPast, accessed: .distantPast, expires: nil,
            attribute: nil)
        let others = (0..<PendingAccesses.capacity).map { world.name("\($0)") }
        for name in others { #expect(accounting.note(access, of: name)) }
        world.clock.advance(by: 1)
        _ = try world.load("key", .cacheTime)
        #expect(isClose(try world.status("key").modified, world.clock.now + 100))
        #expect(accounting.access(of: world.name("key")) == nil)
        #expect(others.allSatisfy { accounting.access(of: $0) != nil })
        // An access that is already pending is updated.
        #expect(accounting.note(access, of: others[0]))
        world.engine.writePendingAccesses()
        #expect(others.allSatisfy { accounting.access(of: $0) == nil })
    }

    @Test("After the clock is set back, no entry lives longer than its lifetime from now")
    func clockSetBack() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "a", .seconds(10))
        try world.store(bytes(3), "b", .seconds(10))
        world.clock.advance(by: -1_000)
        let entry = try #require(try world.engine.entry(for: world.name("a"), extending: .none))
        #expect(entry.storedAt == world.clock.now)
        #expect(!world.engine.isCached(world.name("a"), at: world.clock.now + 12))
        #expect(try world.settledStatus("a").modified < world.clock.now + 12)
        _ = try world.load("b", .cacheTime)
        #expect(isClose(try world.settledStatus("b").modified, world.clock.now + 10))
        // A clock that jumps ahead causes misses, not errors.
        world.clock.advance(by: 10_000)
        #expect(try world.load("a") == nil)
    }

    @Test("An access time in the future protects an entry no more than a current one")
    func accessInTheFuture() throws {
        let world = try DiskWorld()
        try world.store(bytes(10), "future", .never)
        try world.setTimes("future", accessed: world.clock.now + 1_000, modified: .distantFuture)
        try world.store(bytes(10), "present", .never)
        let first = [world.name("future").rawValue, world.name("present").rawValue].min()
        #expect(try world.engine.removeSizeExceeded(limit: 20).first == first)
    }
}
