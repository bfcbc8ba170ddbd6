import Foundation
import Glibc
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import KingfisherStorage

struct DiskStoreTests {
    @Test(arguments: [1, 4_096, 256 << 10, (256 << 10) + 1, 3 << 20])
    func roundTrip(count: Int) throws {
        let world = try DiskWorld()
        let payload = bytes(count)
        try world.store(payload, "key")
        #expect(try world.load("key") == payload)
        #expect(world.isCached("key"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: world.path("key"))) == payload)
    }

    @Test func mappedPayloadOutlivesItsFile() throws {
        let world = try DiskWorld()
        let old = bytes(1 << 20, seed: 1)
        try world.store(old, "key")
        let loaded = try world.load("key")
        try world.store(bytes(1 << 20, seed: 2), "key")
        try world.engine.remove(world.name("key"))
        #expect(loaded == old)
    }

    @Test func sliceOfDataIsStored() throws {
        let world = try DiskWorld()
        let payload = bytes(100)
        try world.store(payload[10..<20], "key")
        #expect(try world.load("key") == Data(payload[10..<20]))
    }

    @Test func oneFileIsStoredPerEntry() throws {
        let world = try DiskWorld()
        for number in 0..<4 { try world.store(bytes(number + 1), "\(number)") }
        try world.store(bytes(7), "0")
        #expect(world.names() == (0..<4).map { world.name("\($0)").rawValue }.sorted())
        #expect(world.names(in: "cache.staging").isEmpty)
        #expect(try world.engine.totalSize() == 7 + 2 + 3 + 4)
    }

    @Test func missesAreNil() throws {
        let world = try DiskWorld()
        #expect(try world.load("absent") == nil)
        #expect(!world.isCached("absent"))
        try world.engine.remove(world.name("absent"))
    }

    @Test func removedEntryIsAMiss() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        try world.engine.remove(world.name("key"))
        #expect(try world.load("key") == nil)
        #expect(world.names().isEmpty)
    }

    @Test func expiredLifetimeStoresNothing() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        try world.store(bytes(6), "key", .expired)
        try world.store(bytes(6), "other", .seconds(0))
        #expect(try world.load("key")?.count == 5)
        #expect(world.names().count == 1)
        #expect(world.faults.takeCalls().filter { $0.name == .write }.count == 1)
    }

    @Test func storeWithoutReplacingKeepsTheEntry() throws {
        let world = try DiskWorld()
        let name = world.name("key")
        func storeNew(_ data: Data) throws {
            try world.engine.store(data, for: name, expiration: .seconds(10), replacing: false)
        }
        try storeNew(bytes(5))
        #expect(
            throws: DiskStorageFailure.cannotCreateFile(
                path: world.path("key"), SystemError(.rename, code: EEXIST, path: world.path("key")))
        ) { try storeNew(bytes(6)) }
        #expect(try world.load("key") == bytes(5))
        world.clock.advance(by: 11)
        try storeNew(bytes(6))
        #expect(try world.load("key") == bytes(6))
    }

    @Test(
        "A storage whose folder cannot be created throws on reads and writes",
        .behaviours("C-31"))
    func notReady() throws {
        let world = try DiskWorld(folder: "file/cache", prepared: false)
        makeFile(world.root + "/file", Data([1]))
        let failure = DiskStorageFailure.cannotCreateDirectory(
            path: world.engine.directory,
            SystemError(.makeDirectory, code: ENOTDIR, path: world.engine.directory))
        #expect(throws: failure) { try world.engine.prepare() }
        let notReady = DiskStorageFailure.notReady(path: world.engine.directory)
        #expect(!world.engine.isReady)
        #expect(!world.isCached("key"))
        #expect(throws: notReady) { try world.load("key") }
        #expect(throws: notReady) { try world.store(bytes(1), "key") }
        #expect(try world.engine.totalSize() == 0)
        #expect(try world.engine.removeExpired() == [])
    }

    @Test func createsParentFoldersAndAcceptsExistingOnes() throws {
        let world = try DiskWorld(folder: "a/b/c//")
        try world.engine.prepare()
        try world.store(bytes(1), "key")
        #expect(world.names(in: "a/b") == ["c", "c.staging"])
    }

    @Test func folderBehindALinkIsUsed() throws {
        let world = try DiskWorld(prepared: false)
        try FileManager.default.createDirectory(
            atPath: world.root + "/real", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: world.root + "/cache", withDestinationPath: world.root + "/real")
        try world.engine.prepare()
        try world.store(bytes(9), "key")
        #expect(try world.load("key") == bytes(9))
        #expect(world.names(in: "real").count == 1)
        try world.engine.removeAll()
        #expect(world.names(in: "real").isEmpty)
        #expect(try FileSystem().status(of: world.root + "/cache").kind == .symbolicLink)
    }

    /// The calls and their order are the guarantee: renamed last, never synced, on the caller's thread.
    @Test func systemCallsHaveAFixedOrder() throws {
        let world = try DiskWorld()
        try world.store(bytes(10), "first")
        _ = world.faults.takeCalls()
        try world.store(bytes(10), "key")
        let stored = world.faults.takeCalls()
        #expect(
            stored.map(\.name) == [
                .open, .write, .setAttribute, .setTimes, .status, .close, .status, .rename, .status,
            ])
        #expect(stored.allSatisfy { $0.thread == UInt(pthread_self()) })
        _ = try world.load("key")
        let loaded = world.faults.takeCalls()
        #expect(loaded.map(\.name) == [.open, .status, .getAttribute, .read])
        #expect(loaded.allSatisfy { $0.thread == UInt(pthread_self()) })
        _ = try world.load("absent")
        #expect(world.faults.takeCalls().map(\.name) == [.open])
        _ = world.isCached("key")
        #expect(world.faults.takeCalls().map(\.name) == [.status])
    }
}
