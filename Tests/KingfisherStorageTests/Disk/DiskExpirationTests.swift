import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import KingfisherStorage

struct DiskExpirationTests {
    private func isClose(_ one: Date, _ other: Date) -> Bool { abs(one.timeIntervalSince(other)) < 1e-5 }

    @Test("The times of a file are its expiry and its last use", .behaviours("C-32"))
    func timesAreExpiryAndLastUse() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(2.125))
        let status = try world.status("key")
        #expect(isClose(status.modified, world.clock.now + 2.125))
        #expect(isClose(status.accessed, world.clock.now))
        guard case .valid(let attribute) = EntryAttribute.read(try world.attribute("key")) else {
            Issue.record("No attribute")
            return
        }
        #expect(attribute.payloadLength == 3)
        #expect(attribute.checksum == Checksum.of(bytes(3)))
        #expect(isClose(attribute.storedAt, world.clock.now))
        #expect(attribute.lifetime == .seconds(2.125))
    }

    @Test func expiredEntryIsAMiss() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(2))
        world.clock.advance(by: 1.9)
        #expect(world.isCached("key"))
        #expect(try world.load("key", .none) != nil)
        world.clock.advance(by: 0.2)
        #expect(!world.isCached("key"))
        #expect(try world.load("key") == nil)
        #expect(world.names().count == 1, "Expired files stay until a sweep")
    }

    @Test("A renewed entry lives as long as one stored now")
    func renewedEntryLivesLonger() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(2))
        world.clock.advance(by: 1.5)
        #expect(world.engine.renew(world.name("key"), expiration: .seconds(5)))
        #expect(isClose(try world.status("key").modified, world.clock.now + 5))
        guard case .valid(let attribute) = EntryAttribute.read(try world.attribute("key")) else {
            Issue.record("No attribute")
            return
        }
        #expect(isClose(attribute.storedAt, world.clock.now) && attribute.lifetime == .seconds(5))
        world.clock.advance(by: 4.9)
        #expect(try world.load("key", .none) == bytes(3))
        #expect(world.engine.renew(world.name("key"), expiration: .expired))
        world.clock.advance(by: 0.2)
        #expect(!world.engine.renew(world.name("key"), expiration: .seconds(5)), "It has expired")
        #expect(!world.isCached("key"))
        #expect(!world.engine.renew(world.name("other"), expiration: .seconds(5)))
        try world.store(bytes(3), "key")
        try world.rewrite("key") { $0.removeLast() }
        #expect(!world.engine.renew(world.name("key"), expiration: .seconds(5)), "It is corrupt")
    }

    @Test("An entry is expired from its expiry date on", .behaviours("C-34"))
    func referenceDate() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(2))
        let expiry = try world.status("key").modified
        #expect(world.engine.isCached(world.name("key"), at: expiry - 0.001))
        #expect(!world.engine.isCached(world.name("key"), at: expiry))
        #expect(world.engine.isCached(world.name("key"), at: world.clock.now + 1.9))
        #expect(!world.engine.isCached(world.name("key"), at: world.clock.now + 2.1))
    }

    @Test("Reading extends by the lifetime before any later operation", .behaviours("C-32", "C-33"))
    func readingExtendsByTheLifetime() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(2))
        for _ in 0..<5 {
            world.clock.advance(by: 1.5)
            #expect(try world.load("key", .cacheTime) != nil)
            // Repeated extensions do not change the lifetime.
            #expect(world.engine.isCached(world.name("key"), at: world.clock.now + 1.99))
            #expect(!world.engine.isCached(world.name("key"), at: world.clock.now + 2.01))
        }
        #expect(isClose(try world.settledStatus("key").modified, world.clock.now + 2))
        #expect(isClose(try world.settledStatus("key").accessed, world.clock.now))
        world.clock.advance(by: 2.1)
        #expect(try world.load("key", .cacheTime) == nil)
    }

    @Test("With .none the expiry stays and the access is recorded", .behaviours("C-32", "C-33"))
    func extendingNoneRecordsOnlyTheAccess() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(2))
        let before = try world.status("key").modified
        world.clock.advance(by: 1)
        _ = try world.load("key", .none)
        #expect(try world.settledStatus("key").modified == before)
        #expect(isClose(try world.settledStatus("key").accessed, world.clock.now))
    }

    @Test("Extending by another lifetime counts from now", .behaviours("C-33"))
    func extendingByAnotherLifetime() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(2))
        world.clock.advance(by: 1)
        _ = try world.load("key", .expirationTime(.seconds(50)))
        #expect(isClose(try world.status("key").modified, world.clock.now + 50))
        world.clock.advance(by: 40)
        // The next access extends by the new lifetime.
        _ = try world.load("key", .cacheTime)
        #expect(isClose(try world.settledStatus("key").modified, world.clock.now + 50))
        _ = try world.load("key", .expirationTime(.expired))
        #expect(try world.load("key") == nil)
    }

    @Test("isCached does not extend", .behaviours("C-33"))
    func isCachedDoesNotExtend() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .seconds(2))
        let before = try world.status("key")
        world.clock.advance(by: 1)
        #expect(world.isCached("key"))
        #expect(try world.status("key").modified == before.modified)
        #expect(try world.status("key").accessed == before.accessed)
    }

    /// File systems cannot store the distant future; the attribute still says that the entry never expires.
    @Test func neverExpiringEntryStays() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", .never)
        world.clock.advance(by: 3_000 * 86_400)
        #expect(world.isCached("key"))
        #expect(try world.load("key", .cacheTime) == bytes(3))
        #expect(try world.engine.removeExpired() == [])
        guard case .valid(let attribute) = EntryAttribute.read(try world.attribute("key")) else {
            Issue.record("No attribute")
            return
        }
        #expect(attribute.lifetime == .forever)
        world.clock.advance(by: 3_000 * 86_400)
        #expect(try world.load("key", .none) == bytes(3))
    }

    @Test(arguments: [
        StorageExpiration.seconds(.infinity), .seconds(1e300), .days(.max), .date(.distantFuture),
    ])
    func extremeLifetimesAreStored(expiration: StorageExpiration) throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key", expiration)
        #expect(try world.load("key", .cacheTime) == bytes(3))
        #expect(world.isCached("key"))
    }

    @Test func extensionKeepsRecordsOfOtherVersions() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key")
        guard case .valid(var attribute) = EntryAttribute.read(try world.attribute("key")) else {
            Issue.record("No attribute")
            return
        }
        // More than the buffer of the first read.
        attribute.records = [
            try #require(EntryRecord(EntryRecord.Kind(rawValue: 9), [UInt8](repeating: 7, count: 300)))
        ]
        try world.setAttribute(attribute.encoded, "key")
        #expect(try world.load("key", .expirationTime(.seconds(7))) == bytes(3))
        guard case .valid(let extended) = EntryAttribute.read(try world.attribute("key")) else {
            Issue.record("Attribute is corrupt")
            return
        }
        #expect(extended.records == attribute.records)
        #expect(extended.lifetime == .seconds(7))
    }
}
