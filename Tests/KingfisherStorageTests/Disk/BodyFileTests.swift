import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

/// Files that receive bodies, and their way into a cache.
struct BodyFileTests {
    private func file(_ pieces: [Data], in folder: BodyFolder) throws -> BodyFile {
        let file = try folder.makeFile()
        for piece in pieces { try piece.withUnsafeBytes { try file.append($0) } }
        return file
    }

    private func inode(_ path: String) throws -> UInt64 { try FileSystem().status(of: path).inode }

    @Test("A body is returned as appended, and leaves no file when its bytes are released")
    func content() throws {
        let world = try DiskWorld()
        let pieces = [bytes(1, seed: 1), bytes(700_000, seed: 2), bytes(4_095, seed: 3)]
        do {
            let data = try file(pieces, in: world.engine.bodies).complete()
            #expect(data == pieces.reduce(Data(), +))
            #expect(
                FileMapping.of(data)?.residentBytes == 0 || FileMapping.of(data)?.residentBytes == data.count)
            #expect(world.names(in: "cache.staging").isEmpty)
        }
        #expect(world.names().isEmpty && world.names(in: "cache.staging").isEmpty)
    }

    @Test("Only the whole mapping is recognised, not a copy or a slice, and not after its release")
    func recognition() throws {
        let world = try DiskWorld()
        let data = try file([bytes(300_000)], in: world.engine.bodies).complete()
        #expect(FileMapping.of(data) != nil)
        #expect(FileMapping.of(data.dropLast()) == nil && FileMapping.of(Data(data.dropFirst())) == nil)
        #expect(FileMapping.of(Data()) == nil && FileMapping.of(bytes(300_000)) == nil)
    }

    @Test("A stored body is not written again, and is read, verified and counted like any entry")
    func moved() throws {
        let world = try DiskWorld()
        let body = try file([bytes(900_000)], in: world.engine.bodies)
        let data = try body.complete()
        _ = world.faults.takeCalls()
        try world.store(data, "key")
        let calls = world.faults.takeCalls().map(\.name)
        #expect(!calls.contains(.write) && calls.contains(.link) && calls.contains(.rename))
        #expect(try world.load("key") == bytes(900_000))
        #expect(world.engine.statistics.bytes == 900_000)
        #expect(world.names(in: "cache.staging").isEmpty)
        // The bytes stay valid after the entry is gone.
        try world.engine.remove(world.name("key"))
        #expect(data == bytes(900_000))
    }

    /// The pages of `data` that this process has: bit 63 of their entries in pagemap, see proc(5).
    private func pages(of data: Data) throws -> Int {
        let (size, entry) = (Int(sysconf(CInt(_SC_PAGESIZE))), MemoryLayout<UInt64>.size)
        let first = data.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } / size
        let map = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/pagemap"))
        try map.seek(toOffset: UInt64(first * entry))
        let entries = try #require(try map.read(upToCount: data.count / size * entry))
        return stride(from: entry - 1, to: entries.count, by: entry).count { entries[$0] >= 0x80 }
    }

    @Test("A stored body has no pages in this process until they are used")
    func releasedPages() throws {
        let world = try DiskWorld()
        let data = try file([bytes(900_000)], in: world.engine.bodies).complete()
        #expect(data == bytes(900_000))
        #expect(try pages(of: data) > 0)
        try world.store(data, "key")
        #expect(try pages(of: data) == 0)
        #expect(data == bytes(900_000))
    }

    @Test("Bytes that their owner has changed in place are stored, not the file")
    func changedInPlace() throws {
        let world = try DiskWorld()
        var data = try file([bytes(300_000)], in: world.engine.bodies).complete()
        data[5] ^= 1
        try world.store(data, "key")
        #expect(try world.load("key") == data && data != bytes(300_000))
        // Entries above the limit of reads are also mapped.
        var read = try #require(try world.load("key"))
        read[0] ^= 1
        #expect(try world.load("key") == data)
    }

    @Test("A body that is stored twice is moved once and copied once, as two independent entries")
    func storedTwice() throws {
        let world = try DiskWorld()
        let data = try file([bytes(300_000)], in: world.engine.bodies).complete()
        try world.store(data, "one", .seconds(100))
        try world.store(data, "two", .seconds(900))
        #expect(try inode(world.path("one")) != inode(world.path("two")))
        world.clock.advance(by: 500)
        #expect(try world.load("one") == nil)
        #expect(try world.load("two") == data)
    }

    @Test("A body goes into another cache on the same file system without a copy")
    func otherCache() throws {
        let (world, other) = (try DiskWorld(), try DiskWorld())
        let data = try file([bytes(300_000)], in: world.engine.bodies).complete()
        try other.store(data, "key")
        #expect(!other.faults.takeCalls().map(\.name).contains(.write))
        #expect(try other.load("key") == data)
    }

    @Test("If a body cannot be moved, its bytes are copied", arguments: [EXDEV, EPERM, ENOENT, EMLINK])
    func copied(code: CInt) throws {
        let world = try DiskWorld()
        let data = try file([bytes(300_000)], in: world.engine.bodies).complete()
        world.faults.fail(.link, with: code)
        try world.store(data, "key")
        #expect(world.faults.takeCalls().map(\.name).contains(.write))
        #expect(try world.load("key") == data)
    }

    @Test("Without O_TMPFILE, bodies are received and copied, and no file is left")
    func withoutUnnamedFiles() throws {
        let world = try DiskWorld()
        world.faults.fail { call, path in call == .open && path == "." ? EOPNOTSUPP : 0 }
        let data = try file([bytes(300_000)], in: world.engine.bodies).complete()
        #expect(world.names(in: "cache.staging").isEmpty)
        world.faults.stopFailing()
        try world.store(data, "key")
        #expect(try world.load("key") == data)
        #expect(world.names(in: "cache.staging").isEmpty)
    }

    @Test("A piece that cannot be written leaves the body as it was", arguments: [ENOSPC, EIO, EDQUOT])
    func fullDisk(code: CInt) throws {
        let world = try DiskWorld()
        let file = try file([bytes(1_000)], in: world.engine.bodies)
        world.faults.fail(.write, with: code)
        #expect(throws: SystemError.self) { try bytes(99).withUnsafeBytes { try file.append($0) } }
        world.faults.stopFailing()
        #expect(file.count == 1_000)
        #expect(file.bytes == bytes(1_000))
        try bytes(5, seed: 9).withUnsafeBytes { try file.append($0) }
        #expect(try file.complete() == bytes(1_000) + bytes(5, seed: 9))
    }

    @Test("The staging folder is made again after another process has deleted it")
    func deletedFolder() throws {
        let world = try DiskWorld()
        _ = try file([bytes(10)], in: world.engine.bodies)
        try FileManager.default.removeItem(atPath: world.root + "/cache.staging")
        let data = try file([bytes(300_000)], in: world.engine.bodies).complete()
        try world.store(data, "key")
        #expect(try world.load("key") == data)
    }

    @Test("Temporary bodies need no cache, and are copied into one")
    func temporary() throws {
        let world = try DiskWorld()
        let data = try file([bytes(300_000)], in: .temporary).complete()
        try world.store(data, "key")
        #expect(try world.load("key") == bytes(300_000))
    }

    @Test("An empty body has no bytes, and a closed file takes no more")
    func edges() throws {
        let world = try DiskWorld()
        #expect(try file([], in: world.engine.bodies).complete().isEmpty)
        let closed = try file([bytes(9)], in: world.engine.bodies)
        closed.close()
        #expect(throws: SystemError.self) { try bytes(1).withUnsafeBytes { try closed.append($0) } }
    }

    @Test("A thousand bodies, half of them stored, leave no descriptor open")
    func descriptors() throws {
        let world = try DiskWorld()
        func openFiles() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        let before = try openFiles()
        for number in 0..<1_000 {
            let data = try file([bytes(100, seed: UInt64(number))], in: world.engine.bodies).complete()
            if number.isMultiple(of: 2) { try world.store(data, "\(number % 8)") }
        }
        #expect(try openFiles() < before + 100)
    }
}
