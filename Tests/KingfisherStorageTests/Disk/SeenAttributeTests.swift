import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

/// A file's attribute is remembered with its pending access.
struct SeenAttributeTests {
    /// A world whose clock is `seconds` after the file's status change, a time that cannot be set.
    private func world(after seconds: TimeInterval, recordBytes: Int = 0) throws -> DiskWorld {
        let world = try DiskWorld()
        let record = try #require(EntryRecord(.httpFreshness, [UInt8](repeating: 1, count: recordBytes)))
        try world.engine.store(
            bytes(300), for: world.name("key"), expiration: .days(10_000), records: [record])
        world.clock.advance(by: try world.status("key").changed.timeIntervalSince(world.clock.now) + seconds)
        #expect(try world.load("key", .cacheTime) == bytes(300))
        _ = world.faults.takeCalls()
        return world
    }

    private func attributesRead(_ world: DiskWorld) -> Int {
        world.faults.takeCalls().filter { $0.name == .getAttribute }.count
    }

    @Test("While an access is pending, another read skips the attribute and still verifies the content")
    func attributeIsReadOnce() throws {
        let world = try world(after: 3)
        let entry = try world.engine.entry(for: world.name("key"))
        #expect(entry?.payload == bytes(300) && entry?.storedAt != nil)
        #expect(attributesRead(world) == 0)
        world.engine.writePendingAccesses()
        _ = world.faults.takeCalls()
        #expect(try world.load("key") == bytes(300))
        #expect(attributesRead(world) == 1)
        try world.rewrite("key") { $0[0] ^= 1 }
        #expect(try world.load("key") == nil)
        #expect(world.engine.statistics.corruptEntriesDropped == 1)
    }

    @Test("An attribute is read again after a change to it alone")
    func changedAttributeIsReadAgain() throws {
        let world = try world(after: 3)
        let before = try world.status("key")
        // Repeats until the kernel's clock has advanced by a tick.
        repeat { try world.setAttribute([1], "key") } while try world.status("key").changed == before.changed
        #expect(try world.status("key").modified == before.modified)
        #expect(try world.load("key") == nil)
        #expect(attributesRead(world) == 1)
    }

    @Test("Large records are not remembered", arguments: [0, 1])
    func rememberedRecordsAreBounded(excess: Int) throws {
        let world = try world(after: 3, recordBytes: CachedAttribute.mostBytes + excess)
        let entry = try world.engine.entry(for: world.name("key"))
        #expect(entry?.records.first?.bytes.count == CachedAttribute.mostBytes + excess)
        #expect((attributesRead(world) > 0) == (excess > 0))
    }

    @Test("The attribute of a file that has just changed is read again")
    func recentChangeIsNotTrusted() throws {
        let world = try world(after: 1)
        #expect(try world.load("key") == bytes(300))
        #expect(attributesRead(world) == 1)
    }
}
