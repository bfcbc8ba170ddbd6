import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

/// Removal of the entries of a tag or key prefix from a folder. `scripts/soak tags` takes a million files.
struct SelectionRemovalTests {
    @Test("Entries with one of the tags are removed")
    func tags() throws {
        let world = try DiskWorld()
        try store(world, "a", tags: ["red", "blue"])
        try store(world, "b", tags: ["blue"])
        try store(world, "c", tags: [])
        try world.store(bytes(5), "without records")
        let removed = try world.engine.removeEntries(in: .tagged(["red"]), storedUntil: world.clock.now)
        #expect(removed == [world.name("a").rawValue])
        #expect(["b", "c", "without records"].allSatisfy(world.isCached))
        #expect(try world.engine.totalSize() == 15)
    }

    @Test("A key prefix is compared by bytes")
    func prefix() throws {
        let world = try DiskWorld()
        for key in ["caf\u{E9}/1", "cafe\u{301}/1", "cafe"] { try store(world, key, tags: []) }
        let removed = try world.engine.removeEntries(
            in: .keyPrefix("caf\u{E9}"), storedUntil: world.clock.now)
        #expect(removed == [world.name("caf\u{E9}/1").rawValue])
    }

    @Test("A corrupt attribute, a folder and a link match no selection")
    func unselectableFiles() throws {
        let world = try DiskWorld()
        try store(world, "damaged", tags: ["red"])
        var attribute = try #require(try world.attribute("damaged"))
        attribute[40] ^= 1
        try world.setAttribute(attribute, "damaged")
        let folder = world.engine.directory
        try FileManager.default.createDirectory(atPath: folder + "/folder", withIntermediateDirectories: true)
        try store(world, "target", tags: ["red"])
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/link", withDestinationPath: world.path("target"))
        let removed = try world.engine.removeEntries(in: .tagged(["red"]), storedUntil: world.clock.now)
        #expect(removed == [world.name("target").rawValue])
        #expect(world.names().count == 3)
    }

    @Test("A file that cannot be removed does not stop the removal of others; the first failure is thrown")
    func failure() throws {
        let world = try DiskWorld()
        for key in ["a", "b"] { try store(world, key, tags: ["red"]) }
        let path = world.path("a")
        world.faults.fail { call, victim in call == .unlink && victim == path ? EACCES : 0 }
        #expect(throws: DiskStorageFailure.self) {
            try world.engine.removeEntries(in: .tagged(["red"]), storedUntil: world.clock.now)
        }
        #expect(world.names() == [world.name("a").rawValue])
        world.faults.stopFailing()
        #expect(try world.engine.removeEntries(in: .tagged(["red"]), storedUntil: world.clock.now).count == 1)
    }

    @Test("A hundredth of a folder's files is removed by its tag with several threads")
    func manyFiles() throws {
        let world = try DiskWorld()
        let engine = try world.otherEngine()
        let count = 4_000
        for number in 0..<count {
            let records = EntryRecord.records(
                key: "https://example.com/\(number)", tags: [number % 100 == 0 ? "red" : "blue"])
            try engine.store(
                bytes(100), for: world.name("\(number)"), expiration: .never, records: records)
        }
        let removed = try engine.removeEntries(in: .tagged(["red"]), storedUntil: world.clock.now)
        let named = stride(from: 0, to: count, by: 100).map { world.name("\($0)").rawValue }
        #expect(Set(removed) == Set(named) && removed.count == named.count)
        #expect(try engine.removeEntries(in: .tagged(["red"]), storedUntil: world.clock.now).isEmpty)
    }

    private func store(_ world: DiskWorld, _ key: String, tags: [String]) throws {
        try world.engine.store(
            bytes(5), for: world.name(key), expiration: .seconds(100),
            records: EntryRecord.records(key: key, tags: tags))
    }
}
