import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

/// What a file's attribute said is remembered with the access that waits to be written.
struct SeenAttributeTests {
    /// A world whose clock shows `seconds` after the file's last change, which nobody can set.
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

    @Test("Read again before the access is written: the attribute is not asked for, the content is verified")
    func isSpared() throws {
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

    @Test("An attribute that somebody changed, and nothing else, is read again")
    func isReadAgain() throws {
        let world = try world(after: 3)
        let before = try world.status("key")
        // In a later tick of the kernel's clock, which a wait for two seconds stands for.
        repeat { try world.setAttribute([1], "key") } while try world.status("key").changed == before.changed
        #expect(try world.status("key").modified == before.modified)
        #expect(try world.load("key") == nil)
        #expect(attributesRead(world) == 1)
    }

    @Test("Large records are not kept", arguments: [0, 1])
    func isBounded(excess: Int) throws {
        let world = try world(after: 3, recordBytes: SeenAttribute.mostBytes + excess)
        let entry = try world.engine.entry(for: world.name("key"))
        #expect(entry?.records.first?.bytes.count == SeenAttribute.mostBytes + excess)
        #expect((attributesRead(world) > 0) == (excess > 0))
    }

    @Test("A file that has just changed could change again unseen")
    func isNotTrustedAtOnce() throws {
        let world = try world(after: 1)
        #expect(try world.load("key") == bytes(300))
        #expect(attributesRead(world) == 1)
    }
}
