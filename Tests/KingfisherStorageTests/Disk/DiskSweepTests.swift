import Foundation
import Glibc
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import KingfisherStorage

struct DiskSweepTests {
    @Test func removesExpiredEntries() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "short", .seconds(2))
        try world.store(bytes(3), "long", .seconds(20))
        #expect(try world.engine.removeExpired() == [])
        world.clock.advance(by: 3)
        #expect(try world.engine.removeExpired() == [world.name("short").rawValue])
        #expect(world.names() == [world.name("long").rawValue])
        let later = try world.engine.removeExpired(at: world.clock.now + 30)
        #expect(later == [world.name("long").rawValue])
    }

    @Test("A sweep removes no folders and no hidden files", .behaviours("C-35", "C-40"))
    func keepsFoldersAndHiddenFiles() throws {
        let world = try DiskWorld()
        let folder = world.engine.directory
        try FileManager.default.createDirectory(atPath: folder + "/folder", withIntermediateDirectories: true)
        makeFile(folder + "/.hidden", bytes(100))
        try world.store(bytes(3), "key", .seconds(2))
        #expect(try world.engine.totalSize() == 3)
        #expect(try world.engine.removeExpired(at: .distantFuture) == [world.name("key").rawValue])
        #expect(world.names() == [".hidden", "folder"])
    }

    @Test("A file whose metadata cannot be read counts as expired", .behaviours("C-35"))
    func unreadableMetadataCountsAsExpired() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "a")
        try world.store(bytes(3), "b")
        let name = world.name("a").rawValue
        world.faults.fail { call, path in call == .status && path.hasSuffix(name) ? EIO : 0 }
        #expect(try world.engine.removeExpired() == [name])
        // A file that disappears between its listing and its status was not removed by this sweep.
        let other = world.name("b").rawValue
        world.faults.fail { call, path in call == .status && path == other ? ENOENT : 0 }
        #expect(try world.engine.removeExpired(at: .distantFuture) == [])
    }

    @Test("A sweep shrinks to half of the limit, least recently used first", .behaviours("C-36"))
    func sizeLimitGoesToHalfLeastRecentlyUsedFirst() throws {
        let world = try DiskWorld()
        for number in 0..<10 {
            try world.store(bytes(1), "\(number)")
            world.clock.advance(by: 1)
        }
        _ = try world.load("0")
        world.clock.advance(by: 1)
        _ = try world.load("3", .cacheTime)
        let removed = try world.engine.removeSizeExceeded(limit: 5)
        #expect(removed == [1, 2, 4, 5, 6, 7, 8, 9].map { world.name("\($0)").rawValue })
        #expect(world.isCached("0") && world.isCached("3"))
        #expect(try world.engine.totalSize() == 2)
    }

    @Test("Nothing is removed without a limit or below it", .behaviours("C-36"))
    func sizeLimitBounds() throws {
        let world = try DiskWorld()
        for number in 0..<10 { try world.store(bytes(10), "\(number)") }
        #expect(try world.engine.removeSizeExceeded(limit: 0) == [])
        #expect(try world.engine.removeSizeExceeded(limit: 101) == [])
        #expect(try world.engine.removeSizeExceeded(limit: 100).count == 5)
        #expect(try world.engine.totalSize() == 50)
    }

    @Test func foreignLeftoversAreRemovedOnlyWhenOld() throws {
        // File ages are by the kernel's clock, so this clock starts with the real time.
        let world = try DiskWorld()
        world.clock.advance(by: Date().timeIntervalSince(world.clock.now))
        try world.store(bytes(3), "key", .never)
        // Of a process on another machine, whose state is unknown.
        let leftover = StagingName(place: StagingName.here &+ 1, process: 7, run: 1, count: 1).string
        makeFile(world.root + "/cache.staging/" + leftover, bytes(5))
        makeFile(world.engine.directory + "/.kingfisher-" + leftover, bytes(5))
        #expect(try world.engine.totalSize() == 3)
        world.clock.advance(by: 3_000)
        #expect(try world.engine.removeExpired() == [])
        try world.engine.removeAll()
        #expect(world.names(in: "cache.staging") == [leftover])
        #expect(world.names() == [".kingfisher-" + leftover])
        world.clock.advance(by: 1_000)
        #expect(try world.engine.removeExpired() == [])
        #expect(world.names(in: "cache.staging").isEmpty)
        #expect(world.names().isEmpty)
    }

    @Test("Removed entries are reported and counted, even if another removal failed", .behaviours("C-16"))
    func failureAndNamesTogether() throws {
        let world = try DiskWorld()
        try world.store(count: 6, expired: 3)
        let stuck = [world.path("1"), world.path("3")]
        world.faults.fail { call, path in call == .unlink && stuck.contains(path) ? EIO : 0 }
        let expired = try world.engine.sweepExpired()
        #expect(Set(expired.removed) == Set(["0", "2"].map { world.name($0).rawValue }))
        #expect(
            expired.failure
                == .cannotRemove(
                    path: stuck[0], SystemError(.unlink, code: EIO, path: stuck[0])))
        let exceeding = try world.engine.sweepSizeExceeded(limit: 20)
        #expect(exceeding.removed == [world.name("4").rawValue])
        #expect(exceeding.failure != nil)
        #expect(world.engine.statistics.evictions == 1)
    }

    @Test("A failed removeAll is followed by a scan")
    func failedRemovalOfAllIsFollowedByAScan() throws {
        let world = try DiskWorld()
        for number in 0..<3 { try world.store(bytes(10), "\(number)") }
        let stuck = world.name("1").rawValue
        world.faults.fail { call, path in call == .unlink && path.hasSuffix(stuck) ? EIO : 0 }
        #expect(throws: DiskStorageFailure.self) { try world.engine.removeAll() }
        #expect(world.background.delays == [0])
        world.background.runAll()
        #expect(world.engine.statistics.entries == 1 && world.engine.statistics.bytes == 10)
    }

    @Test("Old files of foreign names are not leftovers, in the cache folder or in staging")
    func foreignNamesAreKept() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .never)
        makeFile(world.root + "/cache.staging/notes", bytes(5))
        try FileManager.default.createDirectory(
            atPath: world.root + "/cache.staging/album/below", withIntermediateDirectories: true)
        makeFile(world.engine.directory + "/.kingfisher-notes", bytes(5))
        world.clock.advance(by: max(0, Date().timeIntervalSince(world.clock.now)) + 7_200)
        _ = try world.engine.removeExpired()
        #expect(world.names(in: "cache.staging") == ["album", "notes"])
        #expect(world.names(in: "cache.staging/album") == ["below"])
        #expect(world.names().contains(".kingfisher-notes"))
    }

    @Test func failedRemovalIsReportedAfterTheRest() throws {
        let world = try DiskWorld()
        for number in 0..<6 { try world.store(bytes(1), "\(number)", .seconds(1)) }
        world.clock.advance(by: 2)
        let stuck = world.path("3")
        world.faults.fail { call, path in call == .unlink && path == stuck ? EIO : 0 }
        #expect(
            throws: DiskStorageFailure.cannotRemove(path: stuck, SystemError(.unlink, code: EIO, path: stuck))
        ) {
            try world.engine.removeExpired()
        }
        #expect(world.names() == [world.name("3").rawValue])
    }
}
