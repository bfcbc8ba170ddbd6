import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

struct DiskInspectionTests {
    private func items(_ world: DiskWorld) throws -> (entries: [InspectedEntry], foreign: [String]) {
        var entries: [InspectedEntry] = []
        var foreign: [String] = []
        try world.engine.inspect(named: FileNaming()) { item in
            switch item {
            case .entry(let entry): entries.append(entry)
            case .foreign(let name): foreign.append(name)
            }
        }
        return (entries.sorted { $0.fileName < $1.fileName }, foreign.sorted())
    }

    private func entry(_ world: DiskWorld) throws -> InspectedEntry {
        let entries = try items(world).entries
        try #require(entries.count == 1)
        return entries[0]
    }

    @Test("An inspected entry has its size and its times of storing, expiry and last use")
    func inspectedEntry() throws {
        let world = try DiskWorld()
        let stored = world.clock.now
        try world.store(bytes(50), "key", .seconds(100))
        world.clock.advance(by: 10)
        let entry = try entry(world)
        #expect(entry.fileName == world.name("key").rawValue)
        #expect(entry.byteCount == 50)
        #expect(abs(try #require(entry.storedAt).timeIntervalSince(stored)) < 0.001)
        #expect(abs(entry.lastAccess.timeIntervalSince(stored)) < 0.001)
        #expect(abs(entry.expiration.timeIntervalSince(stored) - 100) < 0.001)

        try world.store(bytes(50), "key", .never)
        #expect(try self.entry(world).expiration == .distantFuture)
        // The expiration is the file's modification time, regardless of the attribute.
        try world.setTimes("key", accessed: stored, modified: stored)
        #expect(try self.entry(world).expiration <= stored)
        try world.setAttribute(nil, "key")
        #expect(try self.entry(world).storedAt == nil)
    }

    @Test("An entry that was read after its inspection is not removed; a read before it does not count")
    func readAfterInspection() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key", .seconds(100))
        let first = try entry(world)
        world.clock.advance(by: 10)
        _ = try world.load("key", .cacheTime)
        #expect(try !world.engine.remove(first))
        let second = try entry(world)
        #expect(abs(second.expiration.timeIntervalSince(world.clock.now) - 100) < 0.001)
        #expect(second.lastAccess == world.clock.now)
        world.engine.writePendingAccesses()
        #expect(try world.engine.remove(second))
    }

    @Test(
        "Folders, links, hidden files and other names are foreign; unfinished files are skipped"
    )
    func foreignNames() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        let cache = world.root + "/cache/"
        try Data([1]).write(to: URL(fileURLWithPath: cache + "README"))
        try Data([1]).write(to: URL(fileURLWithPath: cache + ".hidden"))
        try Data([1]).write(to: URL(fileURLWithPath: cache + StagingFolder.hiddenPrefix + "1-1-1"))
        try FileManager.default.createDirectory(atPath: cache + "folder", withIntermediateDirectories: false)
        let link = world.name("link").rawValue
        #expect(symlink(world.path("key"), cache + link) == 0)
        let folder = world.name("folder").rawValue
        #expect(mkdir(cache + folder, 0o755) == 0)
        let found = try items(world)
        #expect(found.entries.map(\.fileName) == [world.name("key").rawValue])
        #expect(found.foreign == [".hidden", "README", "folder", folder, link].sorted())
    }

    @Test("Names of digests are recognized")
    func recognizedNames() {
        let digest = String(repeating: "0a", count: 32)
        let hashed = FileNaming()
        for name in [digest, digest + ".png"] { #expect(hashed.recognizes(name)) }
        for name in [
            "", ".", digest.uppercased(), String(digest.dropLast()), digest + "0", digest + ".", "a.png",
        ] {
            #expect(!hashed.recognizes(name))
        }
        let plain = FileNaming(usesHashedFileName: false)
        #expect(plain.recognizes("a.png") && !plain.recognizes(".a"))
        for key in ["a", String(repeating: "x", count: 300)] {
            for naming in [hashed, plain, FileNaming(pathExtension: "jpg")] {
                #expect(naming.recognizes(naming.name(forKey: key).rawValue))
            }
        }
    }

    @Test("Inspection creates no folder, removes no leftover and starts no background work")
    func inspectionChangesNothing() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        let orphan = StagingName(run: StagingName.thisRun &+ 1, count: 1).string
        makeFile(world.root + "/cache.staging/" + orphan, bytes(5))
        let background = ManualBackground()
        let other = DiskEngine(
            directory: world.engine.directory, settings: DiskSettings(sizeLimit: 1), clock: world.clock,
            background: background.work)
        var count = 0
        try other.inspect(named: FileNaming()) { _ in count += 1 }
        #expect(count == 1 && background.delays.isEmpty)
        #expect(world.names(in: "cache.staging") == [orphan])
    }

    @Test("A missing folder is empty; a folder that cannot be listed is an error")
    func missingAndUnreadableFolders() throws {
        let world = try DiskWorld()
        try FileManager.default.removeItem(atPath: world.root + "/cache")
        #expect(try items(world).entries.isEmpty)
        try Data([1]).write(to: URL(fileURLWithPath: world.root + "/cache"))
        #expect(throws: DiskStorageFailure.self) { try items(world) }
    }

    @Test("An error that the caller throws ends the inspection and is rethrown")
    func callersErrorIsRethrown() throws {
        struct Stop: Error {}
        let world = try DiskWorld()
        for key in ["a", "b", "c"] { try world.store(bytes(5), key) }
        var seen = 0
        #expect(throws: Stop.self) {
            try world.engine.inspect(named: FileNaming()) { _ in
                seen += 1
                throw Stop()
            }
        }
        #expect(seen == 1)
    }

    @Test(
        "Content of any length is compared with its checksum",
        arguments: [1, 262_144, 262_145, 700_000])
    func conditionOfContent(count: Int) throws {
        let world = try DiskWorld()
        try world.store(bytes(count), "key")
        let before = try world.status("key")
        #expect(world.engine.condition(of: try entry(world)) == .intact)
        #expect(try world.status("key").accessed == before.accessed, "A check does not count as an access")

        try world.rewrite("key") { $0[count - 1] ^= 1 }
        #expect(world.engine.condition(of: try entry(world)) == .damaged)
        try world.store(bytes(count), "key")
        try world.rewrite("key") { $0.append(0) }
        #expect(world.engine.condition(of: try entry(world)) == .damaged)
        try world.setAttribute(nil, "key")
        #expect(world.engine.condition(of: try entry(world)) == .withoutChecksum)
        try world.setAttribute([1, 0, 3], "key")
        #expect(world.engine.condition(of: try entry(world)) == .damaged)
        try world.rewrite("key") { $0 = Data() }
        let entry = try entry(world)
        #expect(world.engine.condition(of: entry) == .empty)
        try world.engine.remove(world.name("key"))
        #expect(world.engine.condition(of: entry) == nil)
    }

    @Test("A file that cannot be read is unreadable, not damaged")
    func unreadable() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        let entry = try entry(world)
        world.faults.fail(.read, with: EIO)
        guard case .unreadable(let error) = world.engine.condition(of: entry) else {
            Issue.record("not unreadable")
            return
        }
        #expect(error.code == EIO)
    }

    @Test("An entry is removed once; one stored or renewed after its inspection stays, and so does a link")
    func removalOfInspectedEntries() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        let first = try entry(world)
        try world.store(bytes(6), "key")
        #expect(try !world.engine.remove(first))
        let second = try entry(world)
        world.clock.advance(by: 5)
        #expect(world.engine.renew(world.name("key"), expiration: .seconds(100)))
        #expect(try !world.engine.remove(second))
        #expect(try world.load("key") == bytes(6))

        let third = try entry(world)
        #expect(try world.engine.remove(third))
        #expect(try !world.engine.remove(third))
        #expect(world.names().isEmpty)
        try Data([1]).write(to: URL(fileURLWithPath: world.root + "/target"))
        #expect(symlink(world.root + "/target", world.path("key")) == 0)
        #expect(try !world.engine.remove(third))
        #expect(world.names() == [third.fileName])
    }
}
