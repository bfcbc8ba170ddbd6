import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

/// Entries that are held open.
struct OpenEntryTests {
    private let world: DiskWorld

    init() throws { world = try DiskWorld() }

    private func open(_ extending: ExpirationExtending = .none) throws -> OpenEntry? {
        try world.engine.open(world.name("key"), extending: extending)
    }

    private func stored(_ payload: Data = bytes(1_000), _ records: [EntryRecord] = []) throws -> OpenEntry {
        try world.engine.store(payload, for: world.name("key"), expiration: .seconds(100), records: records)
        return try #require(try open())
    }

    private func pieces(_ entry: OpenEntry, _ range: Range<Int>? = nil, by count: Int) throws -> [Data] {
        let reading = entry.pieces(of: range)
        var pieces: [Data] = []
        while let piece = try reading.next(count) { pieces.append(piece) }
        return pieces
    }

    @Test("An open entry has the data of the stored one") func properties() throws {
        let tag = EntryRecord.records(key: nil, tags: ["t"])
        let entry = try stored(bytes(1_000), tag)
        #expect(entry.byteCount == 1_000 && entry.records == tag)
        #expect(abs(try #require(entry.storedAt).timeIntervalSince(world.clock.now)) < 1e-5)
        #expect(entry.checksum == Checksum.of(bytes(1_000)))
        #expect(try entry.read(0..<1_000) == bytes(1_000) && entry.verify())
    }

    @Test("Ranges are clamped to the entry") func ranges() throws {
        let (entry, all) = (try stored(), bytes(1_000))
        for range in [0..<0, 0..<1, 10..<500, 999..<1_000, 990..<5_000, 1_000..<2_000, -5..<5] {
            #expect(try entry.read(range) == all[range.clamped(to: 0..<1_000)], "\(range)")
        }
    }

    @Test("Pieces are the bytes of the range, in order", arguments: [1, 7, 100, 1_000, 5_000])
    func pieces(count: Int) throws {
        let (entry, all) = (try stored(), bytes(1_000))
        for range in [nil, 0..<1_000, 3..<4, 5..<905, 900..<9_999, 2_000..<3_000] as [Range<Int>?] {
            let pieces = try pieces(entry, range, by: count)
            #expect(pieces.dropLast().allSatisfy { $0.count == count })
            #expect(Data(pieces.joined()) == all[(range ?? 0..<1_000).clamped(to: 0..<1_000)])
        }
    }

    @Test("A replaced, removed or expired entry stays readable") func outlived() throws {
        let entry = try stored()
        try world.store(bytes(20, seed: 2), "key")
        #expect(try entry.verify() && world.load("key") == bytes(20, seed: 2))
        try world.engine.remove(world.name("key"))
        world.clock.advance(by: 1_000)
        try world.engine.removeAll()
        #expect(try Data(pieces(entry, by: 64).joined()) == bytes(1_000))
        #expect(try open() == nil)
    }

    @Test("A missing, expired, empty or wrongly long file and a folder are misses") func misses() throws {
        let path = world.path("key")
        #expect(try open() == nil)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(try open() == nil)
        try FileManager.default.removeItem(atPath: path)
        #expect(mkfifo(path, 0o644) == 0)
        #expect(try open() == nil)
        for change in [{ $0.removeLast() }, { $0.append(1) }, { $0 = Data() }] as [(inout Data) -> Void] {
            _ = try stored()
            try world.rewrite("key", change)
            #expect(try open() == nil && world.names().isEmpty)
        }
        _ = try stored()
        world.clock.advance(by: 101)
        #expect(try open() == nil && world.names().count == 1)
    }

    @Test("A link is not followed") func link() throws {
        try FileManager.default.createSymbolicLink(
            atPath: world.path("key"), withDestinationPath: "/etc/hostname")
        let code = SystemError(.open, code: ELOOP, path: world.path("key"))
        #expect(throws: DiskStorageFailure.cannotLoad(path: world.path("key"), code)) { try open() }
    }

    @Test("A file without its attribute is opened without a checksum") func withoutAttribute() throws {
        _ = try stored()
        try world.setAttribute(nil, "key")
        let entry = try #require(try open())
        #expect(entry.checksum == nil && entry.storedAt == nil && entry.records.isEmpty)
        #expect(try entry.verify() && Data(pieces(entry, by: 99).joined()) == bytes(1_000))
    }

    @Test("Opening extends the lifetime and counts as a hit or a miss, like a read") func access() throws {
        _ = try stored()
        let before = world.engine.statistics
        world.clock.advance(by: 60)
        #expect(try open(.cacheTime) != nil)
        world.clock.advance(by: 60)
        #expect(try open(.none) != nil)
        world.clock.advance(by: 60)
        #expect(try open(.none) == nil)
        let after = world.engine.statistics
        #expect(after.hits == before.hits + 2 && after.misses == before.misses + 1)
    }

    @Test("An engine that is not ready refuses to open") func notReady() throws {
        let world = try DiskWorld(prepared: false)
        #expect(throws: DiskStorageFailure.notReady(path: world.engine.directory)) {
            try world.engine.open(world.name("key"))
        }
    }

    @Test("A damaged file fails at its last piece and is removed", arguments: [0, 500, 999])
    func damage(at offset: Int) throws {
        _ = try stored()
        try world.rewrite("key") { $0[offset] ^= 1 }
        let reading = try #require(try open()).pieces(of: nil)
        for _ in 0..<9 { #expect(try reading.next(100)?.count == 100) }
        let error = #expect(throws: SystemError.self) { try reading.next(100) }
        #expect(error?.code == EBADMSG && world.names().isEmpty)
        #expect(try reading.next(100) == nil)
    }

    @Test("verify finds damage and removes the file; a part is not verified") func verification() throws {
        _ = try stored(bytes(600_000))
        try world.rewrite("key") { $0[599_999] ^= 1 }
        let entry = try #require(try open())
        #expect(try pieces(entry, 1..<600_000, by: 65_536).count == 10)
        #expect(world.names().count == 1)
        #expect(try !entry.verify() && world.names().isEmpty)
    }

    @Test("If the settings forbid it, pieces are not verified") func unverified() throws {
        let world = try DiskWorld(settings: DiskSettings(verifiesChecksum: false))
        try world.store(bytes(100), "key")
        try world.rewrite("key") { $0[1] ^= 1 }
        let entry = try #require(try world.engine.open(world.name("key")))
        #expect(try pieces(entry, by: 10).count == 10)
    }

    @Test("A file that has replaced a damaged one is not removed with it") func replacedDamage() throws {
        _ = try stored()
        try world.rewrite("key") { $0[0] ^= 1 }
        let entry = try #require(try open())
        try world.store(bytes(7), "key")
        #expect(try !entry.verify())
        #expect(try world.load("key") == bytes(7))
    }

    @Test("A file truncated after it was opened fails instead of ending early") func truncated() throws {
        let entry = try stored()
        #expect(truncate(world.path("key"), 500) == 0)
        #expect(try entry.read(0..<500) == bytes(1_000).prefix(500))
        let error = #expect(throws: SystemError.self) { try entry.read(0..<501) }
        #expect(error?.code == EIO && world.names().isEmpty)
        #expect(throws: SystemError.self) { try pieces(entry, by: 300) }
        #expect(throws: SystemError.self) { try entry.verify() }
    }

    @Test("A read that is interrupted or partial is continued; one that fails reports its code")
    func faults() throws {
        let entry = try stored()
        world.faults.fail(.read, with: EACCES)
        #expect(throws: SystemError(.read, code: EACCES, path: "")) { try entry.read(0..<10) }
        world.faults.stopFailing()
        #expect(try entry.read(0..<10) == bytes(1_000).prefix(10))
        #expect(world.names().count == 1)
    }

    @Test("The descriptor is closed when the entry is released") func release() throws {
        var entry: OpenEntry? = try stored()
        let link = try #require(entry?.withDescriptor { "/proc/self/fd/\($0)" })
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: link)
        #expect(target.hasSuffix(world.path("key")))
        entry = nil
        // Another test may use the number by now.
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) != target)
    }

    @Test("Concurrent readers get their bytes") func concurrentReaders() async throws {
        let payload = bytes(200_000)
        let entry = try stored(payload)
        await withTaskGroup(of: Bool.self) { group in
            for reader in 0..<8 {
                group.addTask {
                    let reading = entry.pieces(of: reader * 1_000..<200_000)
                    var all = Data()
                    while let piece = try? reading.next(4_096 + reader) { all += piece }
                    return all == payload[(reader * 1_000)...]
                }
            }
            for await isEqual in group { #expect(isEqual) }
        }
    }
}
