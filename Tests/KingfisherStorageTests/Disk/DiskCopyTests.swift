import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

/// Cache folders that were copied with `cp`, as by backups and image builds.
struct DiskCopyTests {
    private static let keys = (1...20).map { "key \($0)" }

    private func content(_ key: String) -> Data {
        let number = (Self.keys.firstIndex(of: key) ?? 0) + 1
        // The largest are mapped, the others read.
        return bytes(number * number * 800, seed: UInt64(number))
    }

    /// A filled folder and an engine on a copy of it. The clock is an hour ahead of the system's, so that
    /// files with the time of copying are expired.
    private func copy(_ options: String...) throws -> (DiskWorld, DiskEngine) {
        let world = try DiskWorld()
        world.clock.advance(by: Date().timeIntervalSince(world.clock.now) + 3_600)
        for key in Self.keys { try world.store(content(key), key, .days(7)) }
        let copy = world.root + "/copy"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cp")
        process.arguments = options + [world.engine.directory, copy]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let engine = DiskEngine(directory: copy, clock: world.clock)
        try engine.prepare()
        return (world, engine)
    }

    private func load(_ key: String, _ engine: DiskEngine, _ world: DiskWorld) throws -> Data? {
        try engine.data(for: world.name(key), extending: .none)
    }

    /// Changes the first byte of an entry without a change that `stat` shows.
    private func damage(_ key: String, _ engine: DiskEngine, _ world: DiskWorld) throws {
        let path = engine.path(of: world.name(key))
        let status = try FileSystem().status(of: path)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data([content(key)[0] ^ 1]))
        try file.close()
        try FileSystem().setTimes(
            of: FileSystem().openForReading(path), accessed: status.accessed, modified: status.modified)
    }

    @Test("cp -a keeps entries, lifetimes and checksums")
    func archiveCopy() throws {
        let (world, copy) = try copy("-a")
        #expect(try copy.totalSize() == world.engine.totalSize())
        for key in Self.keys { #expect(try load(key, copy, world) == content(key)) }
        try damage("key 1", copy, world)
        #expect(try load("key 1", copy, world) == nil)
        world.clock.advance(by: 6 * 86_400)
        #expect(try copy.data(for: world.name("key 2"), extending: .cacheTime) == content("key 2"))
        world.clock.advance(by: 6 * 86_400)
        #expect(try load("key 2", copy, world) == content("key 2"))
        #expect(try load("key 3", copy, world) == nil)
    }

    @Test("cp --preserve=timestamps keeps entries and their expiry, but not checksums")
    func copyWithTimestamps() throws {
        let (world, copy) = try copy("-r", "--preserve=timestamps")
        let file = try FileSystem().openForReading(copy.path(of: world.name("key 1")))
        try #require(try FileSystem().attribute(EntryAttribute.name, of: file) == nil)
        for key in Self.keys { #expect(try load(key, copy, world) == content(key)) }
        try damage("key 1", copy, world)
        #expect(try load("key 1", copy, world)?.count == content("key 1").count)
        try copy.store(content("key 1"), for: world.name("key 1"), expiration: .days(7))
        try damage("key 1", copy, world)
        #expect(try load("key 1", copy, world) == nil)
        world.clock.advance(by: 6 * 86_400)
        #expect(try copy.data(for: world.name("key 2"), extending: .cacheTime) == content("key 2"))
        world.clock.advance(by: 2 * 86_400)
        #expect(try load("key 2", copy, world) == content("key 2"))
        #expect(try load("key 3", copy, world) == nil)
    }

    @Test("cp -r leads to expired misses, not to errors")
    func plainCopy() throws {
        let (world, copy) = try copy("-r")
        for key in Self.keys {
            #expect(try load(key, copy, world) == nil)
            #expect(!copy.isCached(world.name(key)))
        }
        try copy.store(content("key 1"), for: world.name("key 1"), expiration: .days(7))
        #expect(try load("key 1", copy, world) == content("key 1"))
        #expect(try copy.removeExpired().count == Self.keys.count - 1)
        #expect(try load("key 1", copy, world) == content("key 1"))
    }
}
