import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

struct DiskDamageTests {
    private func expectCorrupt(_ world: DiskWorld) throws {
        #expect(try world.load("key") == nil)
        #expect(world.names().isEmpty, "A corrupt file is removed")
        try world.store(bytes(5), "key")
        #expect(try world.load("key") == bytes(5))
    }

    @Test(arguments: [64, 300_000])
    func flippedPayloadIsAMiss(count: Int) throws {
        let world = try DiskWorld()
        var random = SeededGenerator(seed: 9)
        for _ in 0..<20 {
            try world.store(bytes(count), "key")
            let bit = Int.random(in: 0..<count * 8, using: &random)
            try world.rewrite("key") { $0[bit / 8] ^= 1 << (bit % 8) }
            try expectCorrupt(world)
        }
    }

    @Test func flippedAttributeIsAMiss() throws {
        let world = try DiskWorld()
        try world.store(bytes(50), "key")
        let attribute = try #require(try world.attribute("key"))
        for byte in 2..<attribute.count {
            try world.store(bytes(50), "key")
            var flipped = try #require(try world.attribute("key"))
            flipped[byte] ^= 0x10
            try world.setAttribute(flipped, "key")
            try expectCorrupt(world)
        }
    }

    @Test(arguments: [1, 63])
    func truncatedFileIsAMiss(left: Int) throws {
        let world = try DiskWorld()
        try world.store(bytes(64), "key")
        try world.rewrite("key") { $0 = $0.prefix(left) }
        try expectCorrupt(world)
    }

    /// A power cut may leave a file of the full length with zeros as content.
    @Test func zeroedFileIsAMiss() throws {
        let world = try DiskWorld()
        try world.store(bytes(64), "key")
        try world.rewrite("key") { $0 = Data(count: 64) }
        try expectCorrupt(world)
    }

    @Test(arguments: [true, false])
    func emptyFileIsAMiss(keepsAttribute: Bool) throws {
        let world = try DiskWorld()
        try world.store(bytes(64), "key")
        try world.rewrite("key") { $0 = Data() }
        if !keepsAttribute { try world.setAttribute(nil, "key") }
        #expect(!world.isCached("key"))
        try expectCorrupt(world)
    }

    @Test func entryWithoutAttributeIsServedByItsTimes() throws {
        let world = try DiskWorld()
        try world.store(bytes(64), "key", .seconds(10))
        try world.setAttribute(nil, "key")
        world.clock.advance(by: 4)
        #expect(try world.load("key", .cacheTime) == bytes(64))
        #expect(abs(try world.settledStatus("key").modified.timeIntervalSince(world.clock.now + 10)) < 1e-5)
        world.clock.advance(by: 11)
        #expect(try world.load("key") == nil)
    }

    @Test func entryOfUnknownVersionIsServedByItsTimes() throws {
        let world = try DiskWorld()
        try world.store(bytes(64), "key")
        try world.setAttribute([77, 0, 1, 2, 3], "key")
        #expect(try world.load("key", .expirationTime(.seconds(5))) == bytes(64))
        #expect(try world.attribute("key") == [77, 0, 1, 2, 3])
    }

    /// A plain copy loses attribute and times, so it is an expired miss and not an error.
    @Test func plainCopyIsAMiss() throws {
        let world = try DiskWorld()
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: world.path("key")))
        try world.setTimes("key", accessed: world.clock.now, modified: world.clock.now - 1)
        #expect(try world.load("key") == nil)
        #expect(!world.isCached("key"))
        #expect(try world.engine.removeExpired() == [world.name("key").rawValue])
    }

    /// A file that replaced a corrupt one between open and removal must survive.
    @Test func fileThatReplacesACorruptOneSurvives() throws {
        let world = try DiskWorld()
        try world.store(bytes(64), "key")
        try world.rewrite("key") { $0 = Data(count: 64) }
        let path = world.path("key")
        world.faults.fail { call, _ in
            // Another process stores the same key while the corrupt file is being read.
            if call == .read {
                try? FileManager.default.removeItem(atPath: path)
                makeFile(path, bytes(9))
            }
            return 0
        }
        #expect(try world.load("key") == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes(9))
    }

    @Test func fileTruncatedDuringAReadIsAMiss() throws {
        let world = try DiskWorld()
        try world.store(bytes(64), "key")
        let path = world.path("key")
        world.faults.fail { call, _ in
            if call == .read { truncate(path, 10) }
            return 0
        }
        #expect(try world.load("key") == nil)
    }
}
