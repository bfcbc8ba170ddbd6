import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

struct DiskFaultTests {
    /// Every failure during a store throws an error, leaves no file, and keeps the old entry.
    @Test(
        arguments: [
            (.open, EMFILE), (.open, ENFILE), (.open, EIO), (.write, ENOSPC), (.write, EDQUOT), (.write, EIO),
            (.setAttribute, ENOSPC), (.setTimes, EIO), (.close, EIO), (.rename, EIO), (.rename, ENOSPC),
        ] as [(SystemCall, CInt)])
    func failedStoreLeavesNothing(call: SystemCall, code: CInt) throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        world.faults.fail(call, with: code)
        let failure = #expect(throws: DiskStorageFailure.self) { try world.store(bytes(9), "key") }
        switch (call, failure) {
        case (.setAttribute, .cannotSetAttribute(let path, let error)),
            (.setTimes, .cannotSetAttribute(let path, let error)),
            (.open, .cannotCreateFile(let path, let error)), (.write, .cannotCreateFile(let path, let error)),
            (.close, .cannotCreateFile(let path, let error)),
            (.rename, .cannotCreateFile(let path, let error)):
            #expect(path == world.path("key"))
            #expect(error.call == call)
            #expect(error.code == code)
        default:
            Issue.record("\(String(describing: failure))")
        }
        world.faults.stopFailing()
        #expect(world.names() == [world.name("key").rawValue])
        #expect(world.names(in: "cache.staging").isEmpty)
        #expect(try world.load("key") == bytes(5))
        try world.store(bytes(9), "key")
        #expect(try world.load("key") == bytes(9))
    }

    @Test(
        arguments: [
            (.open, EMFILE), (.open, ENFILE), (.open, EIO), (.open, ENOMEM), (.read, EIO),
            (.getAttribute, EIO),
        ] as [(SystemCall, CInt)])
    func failedLoadThrows(call: SystemCall, code: CInt) throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        world.faults.fail(call, with: code)
        let failure = #expect(throws: DiskStorageFailure.self) { try world.load("key") }
        guard case .cannotLoad(world.path("key"), let error) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(error.code == code)
        world.faults.stopFailing()
        #expect(try world.load("key") == bytes(5))
    }

    @Test func failedMapThrows() throws {
        let world = try DiskWorld()
        try world.store(bytes(1 << 20), "key")
        world.faults.fail(.map, with: ENOMEM)
        #expect(throws: DiskStorageFailure.self) { try world.load("key") }
        world.faults.stopFailing()
        #expect(try world.load("key") == bytes(1 << 20))
    }

    @Test func unreadableMetadataOfAnOpenFileThrows() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        world.faults.fail(.status, with: EIO)
        #expect(
            throws: DiskStorageFailure.invalidResource(
                path: world.path("key"), SystemError(.status, code: EIO, path: ""))
        ) { try world.load("key") }
    }

    @Test(arguments: [ENOTSUP, ENOSYS, EPERM, EACCES])
    func fileSystemWithoutAttributesKeepsExpiration(code: CInt) throws {
        let world = try DiskWorld()
        world.faults.fail { call, _ in call == .setAttribute || call == .getAttribute ? code : 0 }
        try world.store(bytes(5), "key", .seconds(10))
        #expect(
            try FileSystem().attribute(
                EntryAttribute.name, of: FileSystem().openForReading(world.path("key"))) == nil)
        world.clock.advance(by: 4)
        #expect(try world.load("key", .cacheTime) == bytes(5))
        world.clock.advance(by: 9)
        #expect(try world.load("key") == bytes(5))
        world.clock.advance(by: 2)
        #expect(try world.load("key") == nil)
    }

    @Test(
        "Without room for records in an attribute, only the records are lost, except that a file is private",
        arguments: [ENOSPC, E2BIG, ERANGE])
    func missingRoomForRecordsLosesOnlyThem(code: CInt) throws {
        let world = try DiskWorld()
        let record = try #require(EntryRecord(.httpFreshness, [1, 2, 3]))
        let mark = EntryRecord.records(isPrivate: true)
        let attempts = Counter()
        world.faults.fail { call, _ in call == .setAttribute && attempts.next() == 1 ? code : 0 }
        try world.engine.store(
            bytes(5), for: world.name("key"), expiration: .seconds(10),
            records: [record] + mark)
        let entry = try #require(try world.engine.entry(for: world.name("key")))
        #expect(entry.payload == bytes(5) && entry.records == mark)
        #expect(entry.storedAt != nil, "The attribute is stored")
        world.faults.fail(.setAttribute, with: code)
        #expect(throws: DiskStorageFailure.self) {
            try world.engine.store(
                bytes(6), for: world.name("key"), expiration: .seconds(10),
                records: [record] + mark)
        }
        world.faults.stopFailing()
        #expect(try world.load("key") == bytes(5))
        #expect(world.names(in: "cache.staging").isEmpty)
    }

    @Test func stagingOnAnotherFileSystemFallsBackToTheFolder() throws {
        let world = try DiskWorld()
        let staging = "/.kingfisher-"
        let target = world.path("key")
        // The first rename fails, as across file systems; the intercept receives the new name.
        let renames = Counter()
        world.faults.fail { call, path in
            call == .rename && path == target && renames.next() == 1 ? EXDEV : 0
        }
        try world.store(bytes(5), "key")
        #expect(try world.load("key") == bytes(5))
        #expect(world.names() == [world.name("key").rawValue])
        #expect(world.names(in: "cache.staging").isEmpty)
        _ = world.faults.takeCalls()
        // The engine remembers the failure: the second store does not try the sibling folder again.
        try world.store(bytes(6), "other")
        let opened = world.faults.takeCalls().filter { $0.name == .open }
        #expect(opened.count == 1)
        #expect(opened.first?.path.hasPrefix(world.engine.directory + staging) == true)
    }

    @Test(arguments: [EACCES, EROFS])
    func forbiddenStagingFallsBackToTheFolder(code: CInt) throws {
        let world = try DiskWorld()
        let staging = world.root + "/cache.staging"
        world.faults.fail { call, path in
            path == staging && (call == .makeDirectory || call == .open) ? code : 0
        }
        try world.store(bytes(5), "key")
        #expect(try world.load("key") == bytes(5))
        #expect(world.names() == [world.name("key").rawValue])
        #expect(!FileManager.default.fileExists(atPath: staging))
    }

    @Test func fileOfAnotherOwnerIsReadDespiteEPERM() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        let opens = Counter()
        world.faults.fail { call, _ in call == .open && opens.next() == 1 || call == .setTimes ? EPERM : 0 }
        #expect(try world.load("key", .cacheTime) == bytes(5))
    }

    @Test func failedListingThrows() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        world.faults.fail(.list, with: EMFILE)
        let failure = DiskStorageFailure.cannotEnumerate(
            path: world.engine.directory, SystemError(.list, code: EMFILE, path: ""))
        #expect(throws: failure) { try world.engine.totalSize() }
        #expect(throws: failure) { try world.engine.removeSizeExceeded(limit: 1) }
        #expect(throws: failure) { try world.engine.removeExpired() }
        #expect(throws: failure) { try world.engine.removeAll() }
        world.faults.stopFailing()
        #expect(world.isCached("key"))
    }

    @Test func failedRemovalThrows() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        world.faults.fail(.unlink, with: EROFS)
        #expect(throws: DiskStorageFailure.self) { try world.engine.remove(world.name("key")) }
        #expect(throws: DiskStorageFailure.self) { try world.engine.removeAll() }
        // A corrupt entry in a read-only folder is still a miss.
        try world.rewrite("key") { $0 = Data(count: 5) }
        #expect(try world.load("key") == nil)
    }

    @Test func errorsBridgeToPOSIX() {
        let error = SystemError(.write, code: ENOSPC, path: "/cache/file") as any Error as NSError
        #expect(error.domain == NSPOSIXErrorDomain)
        #expect(error.code == Int(ENOSPC))
        #expect(error.localizedDescription.contains("/cache/file"))
    }

    /// A shortage of descriptors leaks none: a thousand failures do not increase the number of open files.
    @Test func failuresLeakNoDescriptors() throws {
        let world = try DiskWorld()
        try world.store(bytes(1 << 19), "big")
        // Other suites open files concurrently; their number is small compared with a leak.
        func openFiles() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        let before = try openFiles()
        for call in SystemCall.allCases {
            world.faults.fail(call, with: EIO)
            for _ in 0..<100 {
                try? world.store(bytes(8), "key")
                _ = try? world.load("big")
                _ = try? world.engine.totalSize()
                _ = try? world.engine.removeExpired()
            }
        }
        world.faults.stopFailing()
        #expect(try openFiles() < before + 100)
    }
}
