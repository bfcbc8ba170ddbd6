import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

/// The clock is set while entries are stored.
struct DiskClockTests {
    private static let day: TimeInterval = 86_400

    @Test func entryStoredByASlowClockExpires() throws {
        let world = try DiskWorld()
        world.clock.advance(by: -30 * Self.day)
        try world.store(bytes(5), "key", .days(7))
        #expect(try world.load("key") == bytes(5))
        world.clock.advance(by: 30 * Self.day)
        #expect(try world.load("key") == nil)
        #expect(!world.isCached("key"))
        #expect(try world.engine.removeExpired() == [world.name("key").rawValue])
    }

    /// The entry lives longer by the clock's error until its first use, which counts from the true time.
    @Test func entryStoredByAFastClockLivesLonger() throws {
        let world = try DiskWorld()
        world.clock.advance(by: 3 * Self.day)
        try world.store(bytes(5), "used", .days(7))
        try world.store(bytes(5), "unused", .days(7))
        world.clock.advance(by: -3 * Self.day)
        #expect(try world.load("used", .cacheTime) == bytes(5))
        world.clock.advance(by: 8 * Self.day)
        #expect(try world.load("used") == nil)
        #expect(try world.load("unused") == bytes(5))
        world.clock.advance(by: 2.1 * Self.day)
        #expect(try world.load("unused") == nil)
    }

    /// A clock that jumps far ahead and returns removes nothing, unless a sweep runs in the meantime.
    @Test func clockJumpAheadAndBackRemovesNothing() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key", .days(7))
        world.clock.advance(by: 10_000 * Self.day)
        #expect(try world.load("key") == nil)
        world.clock.advance(by: -10_000 * Self.day)
        #expect(try world.load("key") == bytes(5))
        world.clock.advance(by: -10_000 * Self.day)
        #expect(try world.load("key", .cacheTime) == bytes(5))
        #expect(world.isCached("key"))
        world.clock.advance(by: 10_000 * Self.day)
        #expect(try world.load("key") == nil)
    }

    /// Access times in the future cause no failure, and no removal beyond the limit.
    @Test func futureAccessTimesCauseNoExtraRemoval() throws {
        let world = try DiskWorld()
        world.clock.advance(by: Self.day)
        for number in 0..<5 { try world.store(bytes(10), "ahead \(number)", .days(7)) }
        world.clock.advance(by: -Self.day)
        for number in 0..<5 { try world.store(bytes(10), "now \(number)", .days(7)) }
        #expect(try world.engine.removeSizeExceeded(limit: 100).count == 5)
        #expect(try world.engine.totalSize() == 50)
    }

    /// To a clock that is hours ahead, a file that another process is writing looks abandoned. The writer
    /// that loses its file fails or retries; the entry is the old one or the new one.
    @Test func stagedFileSweptDuringAWrite() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        let staging = world.root + "/cache.staging"
        let renames = Counter()
        world.faults.fail { call, _ in
            if call == .rename, renames.next() == 1 { try? FileManager.default.removeItem(atPath: staging) }
            return 0
        }
        let stored = (try? world.store(bytes(9), "key")) != nil
        world.faults.stopFailing()
        #expect(try world.load("key") == (stored ? bytes(9) : bytes(5)))
        try world.store(bytes(7), "key")
        #expect(try world.load("key") == bytes(7))
        #expect(world.names() == [world.name("key").rawValue])
    }
}
