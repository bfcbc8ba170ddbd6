import CLinux
import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

/// Files of interrupted downloads: continued, verified and bounded.
struct PartialFilesTests {
    private let url = "https://example.org/photo.jpg"
    private let whole = bytes(1_000_000)

    private func resource(_ total: Int = 1_000_000) throws -> PartialResource {
        try #require(PartialResource(total: total, validator: "\"tag\"", request: 7, location: 8))
    }

    /// Makes a partial file with the first `count` bytes, closed as at the end of an interrupted download.
    private func interrupt(_ engine: DiskEngine, after count: Int, url: String? = nil) throws {
        let file = try #require(engine.bodies.makePartial(for: url ?? self.url, try resource()))
        try whole.prefix(count).withUnsafeBytes { try file.append($0) }
        file.close()
    }

    private func touch(_ world: DiskWorld, _ url: String? = nil, at time: Date) throws {
        let file = try FileSystem().openForReading(path(world, url))
        try FileSystem().setTimes(of: file, accessed: nil, modified: time)
    }

    private func path(_ world: DiskWorld, _ url: String? = nil) -> String {
        world.root + "/cache.staging/" + PartialFiles.name(for: url ?? self.url)
    }

    @Test("An interrupted body continues where it ended, and becomes an entry without a copy")
    func continued() throws {
        let world = try DiskWorld()
        try interrupt(world.engine, after: 600_001)
        #expect(world.engine.bodies.hasPartial(for: url) == true)
        let file = try #require(world.engine.bodies.openPartial(for: url))
        #expect(file.count == 600_001)
        #expect(try file.resource == resource())
        try whole.dropFirst(600_001).withUnsafeBytes { try file.append($0) }
        let data = try file.complete()
        _ = world.faults.takeCalls()
        try world.store(data, "key")
        #expect(!world.faults.takeCalls().map(\.name).contains(.write))
        #expect(try world.load("key") == whole)
        #expect(world.names(in: "cache.staging").isEmpty)
        #expect(world.engine.bodies.hasPartial(for: url) == false)
    }

    @Test("Another process finds the file, by the disk before its scan and in memory after it")
    func otherProcess() throws {
        let world = try DiskWorld()
        try interrupt(world.engine, after: 600_000)
        let other = try world.otherEngine()
        #expect(other.bodies.hasPartial(for: url) == nil)
        world.background.runAll()
        #expect(other.bodies.hasPartial(for: url) == true)
        #expect(other.bodies.hasPartial(for: url + "x") == false)
        #expect(other.bodies.openPartial(for: url)?.count == 600_000)
    }

    @Test("A killed process loses what came after the last checkpoint")
    func killed() throws {
        let world = try DiskWorld()
        let file = try #require(world.engine.bodies.makePartial(for: url, try resource()))
        for start in stride(from: 0, to: 900_000, by: 100_000) {
            try whole[start..<start + 100_000].withUnsafeBytes { try file.append($0) }
        }
        // As the kernel leaves it: without the last record, and without the lock.
        let copy = path(world) + ".copy"
        let process = Process()
        process.executableURL = URL(filePath: "/bin/cp")
        process.arguments = ["--preserve=all", path(world), copy]
        try process.run()
        process.waitUntilExit()
        file.discard()
        try FileManager.default.moveItem(atPath: copy, toPath: path(world))
        let found = try #require(world.engine.bodies.openPartial(for: url))
        #expect(found.count >= 900_000 - BodyFile.checkpointInterval && found.count <= 900_000)
        #expect(found.bytes == whole.prefix(found.count))
    }

    @Test("A file in use is not opened a second time, and a second download uses another file")
    func inUse() throws {
        let world = try DiskWorld()
        let file = try #require(world.engine.bodies.makePartial(for: url, try resource()))
        #expect(world.engine.bodies.openPartial(for: url) == nil)
        #expect(world.engine.bodies.makePartial(for: url, try resource()) == nil)
        file.close()
    }

    @Test(
        "A corrupt, truncated or foreign file is not continued, and is removed",
        arguments: ["bytes", "length", "record", "no record"])
    func corrupt(what: String) throws {
        let world = try DiskWorld()
        try interrupt(world.engine, after: 600_000)
        let handle = try FileHandle(forUpdating: URL(filePath: path(world)))
        switch what {
        case "bytes":
            try handle.seek(toOffset: 300_000)
            try handle.write(contentsOf: Data([whole[300_000] ^ 1]))
        case "length": try handle.truncate(atOffset: 599_999)
        case "record":
            let file = try FileSystem().openForReading(path(world))
            try FileSystem().setAttribute(EntryAttribute.name, Array(bytes(80)), of: file)
        default: #expect(removexattr(path(world), EntryAttribute.name) == 0)
        }
        try handle.close()
        #expect(world.engine.bodies.openPartial(for: url) == nil)
        #expect(!FileManager.default.fileExists(atPath: path(world)))
    }

    @Test("A link in place of the file is not followed")
    func link() throws {
        let world = try DiskWorld()
        try interrupt(world.engine, after: 600_000)
        try FileManager.default.removeItem(atPath: path(world))
        makeFile(world.root + "/target", Data("target".utf8))
        try FileManager.default.createSymbolicLink(
            atPath: path(world), withDestinationPath: world.root + "/target")
        #expect(world.engine.bodies.openPartial(for: url) == nil)
        #expect(world.engine.bodies.makePartial(for: url, try resource()) == nil)
        #expect(try Data(contentsOf: URL(filePath: world.root + "/target")) == Data("target".utf8))
    }

    @Test("A complete body that no cache stores leaves nothing")
    func notStored() throws {
        let world = try DiskWorld()
        let file = try #require(world.engine.bodies.makePartial(for: url, try resource()))
        try whole.withUnsafeBytes { try file.append($0) }
        do { #expect(try file.complete() == whole) }
        file.close()
        #expect(world.names(in: "cache.staging").isEmpty)
        #expect(world.engine.bodies.hasPartial(for: url) == false)
    }

    @Test("An interrupted body without bytes leaves nothing")
    func empty() throws {
        let world = try DiskWorld()
        try interrupt(world.engine, after: 0)
        #expect(world.names(in: "cache.staging").isEmpty)
    }

    @Test("The oldest files above a tenth of the cache's limit are removed, except those in use")
    func bounded() throws {
        let world = try DiskWorld(settings: DiskSettings(sizeLimit: 20_000_000))
        for number in 0..<4 {
            try interrupt(world.engine, after: 900_000, url: "\(number)")
            try touch(world, "\(number)", at: world.clock.now.addingTimeInterval(Double(number) - 100))
        }
        let used = world.engine.bodies.openPartial(for: "0")
        // Opening it does not change its time.
        _ = try world.engine.removeExpired()
        let left = (0..<4).filter { FileManager.default.fileExists(atPath: path(world, "\($0)")) }
        #expect(left == [0, 2, 3])
        #expect((0..<4).filter { world.engine.bodies.hasPartial(for: "\($0)") == true } == left)
        withExtendedLifetime(used) {}
    }

    @Test("The bound is kept without a scan, when files are closed")
    func boundedAtOnce() throws {
        let world = try DiskWorld(settings: DiskSettings(sizeLimit: 20_000_000))
        for number in 0..<4 { try interrupt(world.engine, after: 900_000, url: "\(number)") }
        world.background.runAll()
        let left = (0..<4).filter { FileManager.default.fileExists(atPath: path(world, "\($0)")) }
        #expect(left.count == 2)
    }

    @Test("A file with bytes of the same resource is not overwritten; one of another resource is")
    func notOverwritten() throws {
        let world = try DiskWorld()
        try interrupt(world.engine, after: 600_000)
        #expect(world.engine.bodies.makePartial(for: url, try resource()) == nil)
        #expect(world.engine.bodies.openPartial(for: url)?.count == 600_000)
        let other = try #require(
            PartialResource(total: 1_000_000, validator: "\"other\"", request: 7, location: 8))
        #expect(world.engine.bodies.makePartial(for: url, other)?.count == 0)
    }

    @Test("A file in use while the cache is cleared is removed when it is closed")
    func clearedInUse() throws {
        let world = try DiskWorld()
        let file = try #require(world.engine.bodies.makePartial(for: url, try resource()))
        try whole.prefix(600_000).withUnsafeBytes { try file.append($0) }
        try world.engine.removeAll()
        file.close()
        #expect(world.names(in: "cache.staging").isEmpty)
        #expect(world.engine.bodies.hasPartial(for: url) == false)
    }

    @Test("Old files are removed, and clearing the cache removes all")
    func oldAndCleared() throws {
        let world = try DiskWorld()
        try interrupt(world.engine, after: 600_000)
        try touch(world, at: world.clock.now)
        world.clock.advance(by: PartialFiles.longestAge - 3_600)
        _ = try world.engine.removeExpired()
        #expect(world.engine.bodies.hasPartial(for: url) == true)
        try interrupt(world.engine, after: 600_000, url: "other")
        try touch(world, "other", at: world.clock.now)
        world.clock.advance(by: 7_200)
        _ = try world.engine.removeExpired()
        #expect(world.names(in: "cache.staging") == [PartialFiles.name(for: "other")])
        try interrupt(world.engine, after: 600_000)
        try world.engine.removeAll()
        #expect(world.names(in: "cache.staging").isEmpty)
        #expect(world.engine.bodies.hasPartial(for: url) == false)
    }

    @Test(
        "Without attributes or locks, downloads cannot be continued",
        arguments: [SystemCall.setAttribute, .lock])
    func unsupported(call: SystemCall) throws {
        let world = try DiskWorld()
        world.faults.fail(call, with: ENOTSUP)
        #expect(world.engine.bodies.makePartial(for: url, try resource()) == nil)
        #expect(world.names(in: "cache.staging").isEmpty)
    }

    @Test("A record is read as written, and no change of a byte is accepted")
    func record() throws {
        let record = PartialRecord(try resource(), count: 5, checksum: 6)
        #expect(PartialRecord(record.encoded) == record)
        for index in record.encoded.indices {
            var changed = record.encoded
            changed[index] ^= 1
            #expect(PartialRecord(changed) == nil)
            #expect(PartialRecord(Array(record.encoded.prefix(index))) == nil)
        }
        #expect(PartialResource(total: 0, validator: "\"tag\"", request: 0, location: 0) == nil)
        #expect(PartialRecord(PartialRecord(try resource(), count: 1_000_000, checksum: 0).encoded) == nil)
        #expect(EntryAttribute.read(record.encoded) == .unknown)
    }
}
