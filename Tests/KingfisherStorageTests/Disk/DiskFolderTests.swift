import Foundation
import Glibc
import Synchronization
import Testing

@testable import KingfisherStorage

/// The cache folder is changed outside the engine.
struct DiskFolderTests {
    @Test func deletedFolderIsCreatedAgain() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key")
        try FileManager.default.removeItem(atPath: world.engine.directory)
        #expect(!world.isCached("key"))
        #expect(try world.load("key") == nil)
        #expect(try world.engine.totalSize() == 0)
        #expect(try world.engine.removeExpired() == [])
        #expect(try world.engine.removeSizeExceeded(limit: 1) == [])
        try world.engine.remove(world.name("key"))
        try world.store(bytes(4), "key")
        #expect(try world.load("key") == bytes(4))
    }

    /// Deletes the folder at a listing. Returns the counter of listings.
    @discardableResult
    private func deleteFolder(of world: DiskWorld, atListing listing: Int) -> Counter {
        let (listings, directory) = (Counter(), world.engine.directory)
        world.faults.fail { call, _ in
            if call == .list, listings.next() == listing {
                try? FileManager.default.removeItem(atPath: directory)
            }
            return 0
        }
        return listings
    }

    /// The first call rewinds the folder; a later one reads names or finds the end.
    @Test("A folder that is deleted while it is listed counts as empty", arguments: 1...8)
    func deletedWhileListed(listing: Int) throws {
        let world = try DiskWorld()
        func deleteAtListing(_ body: (DiskEngine) throws -> Void) throws {
            try world.store(bytes(3), "key")
            try world.store(bytes(4), "other")
            deleteFolder(of: world, atListing: listing)
            try body(world.engine)
            world.faults.stopFailing()
        }
        try deleteAtListing { engine in
            let size = try engine.totalSize()
            #expect([0, 7].contains(size))
        }
        try deleteAtListing { engine in
            let names = try engine.removeExpired()
            #expect(names.isEmpty)
        }
        try deleteAtListing { _ = try $0.removeSizeExceeded(limit: 1) }
        try deleteAtListing { try $0.removeAll() }
        try world.store(bytes(5), "key")
        #expect(try world.load("key") == bytes(5))
    }

    /// A scan lists the folder twice: for leftovers, then for entries.
    @Test("A folder that is deleted while it is scanned ends the scan", arguments: 1...8)
    func deletedWhileScanned(listing: Int) throws {
        let world = try DiskWorld(prepared: false)
        try FileManager.default.createDirectory(
            atPath: world.engine.directory, withIntermediateDirectories: true)
        for number in 0..<400 {
            makeFile(world.engine.directory + "/" + world.name("\(number)").rawValue, Data([1]))
        }
        try world.engine.prepare()
        let listings = deleteFolder(of: world, atListing: listing)
        world.background.runAll()
        #expect(listings.next() > listing)
        let tally = world.engine.accounting.tally
        #expect(tally.isMeasured && !tally.isStuck, "As after any scan")
    }

    @Test func deletedParentFoldersAreCreatedAgain() throws {
        let world = try DiskWorld(folder: "a/b/cache")
        try world.store(bytes(3), "key")
        try FileManager.default.removeItem(atPath: world.root + "/a")
        try world.store(bytes(4), "key")
        #expect(try world.load("key") == bytes(4))
    }

    @Test func deletedFolderIsCreatedAgainWithoutStaging() throws {
        let world = try DiskWorld()
        makeFile(world.root + "/cache.staging", Data())
        try world.store(bytes(3), "key")
        try FileManager.default.removeItem(atPath: world.engine.directory)
        try world.store(bytes(4), "key")
        #expect(try world.load("key") == bytes(4))
        #expect(world.names() == [world.name("key").rawValue])
    }

    @Test func folderReplacedByAFileIsAMiss() throws {
        let world = try DiskWorld()
        try FileManager.default.removeItem(atPath: world.engine.directory)
        makeFile(world.engine.directory, bytes(5))
        #expect(try world.load("key") == nil)
        #expect(!world.isCached("key"))
        #expect(try world.engine.totalSize() == 0)
        #expect(throws: DiskStorageFailure.self) { try world.store(bytes(3), "key") }
        #expect(throws: DiskStorageFailure.self) { try world.engine.removeAll() }
        #expect(world.names(in: "cache.staging").isEmpty)
    }

    /// The folder was moved and a link to it created: entries stay, and the staging folder beside the
    /// link is still used.
    @Test func folderReplacedByALinkKeepsItsEntries() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        try FileManager.default.moveItem(atPath: world.engine.directory, toPath: world.root + "/elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: world.engine.directory, withDestinationPath: world.root + "/elsewhere")
        #expect(try world.load("key") == bytes(5))
        try world.store(bytes(6), "key")
        try world.store(bytes(7), "other")
        #expect(try world.load("key") == bytes(6))
        #expect(try world.engine.totalSize() == 13)
        #expect(world.names(in: "elsewhere").count == 2)
        try world.engine.removeAll()
        #expect(world.names(in: "elsewhere").isEmpty)
        #expect(try FileSystem().status(of: world.engine.directory).kind == .symbolicLink)
    }

    @Test func folderReplacedByADanglingLinkIsAMiss() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        try FileManager.default.removeItem(atPath: world.engine.directory)
        try FileManager.default.createSymbolicLink(
            atPath: world.engine.directory, withDestinationPath: world.root + "/nowhere")
        #expect(try world.load("key") == nil)
        #expect(!world.isCached("key"))
        #expect(try world.engine.totalSize() == 0)
        #expect(throws: DiskStorageFailure.self) { try world.store(bytes(3), "key") }
        #expect(world.names() == [])
        #expect(world.names(in: "cache.staging").isEmpty)
    }

    /// A different folder has the name; the old one is no longer used.
    @Test func folderReplacedByAnotherIsEmpty() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        try FileManager.default.moveItem(atPath: world.engine.directory, toPath: world.root + "/old")
        try FileManager.default.createDirectory(
            atPath: world.engine.directory, withIntermediateDirectories: false)
        #expect(try world.load("key") == nil)
        #expect(try world.engine.totalSize() == 0)
        try world.store(bytes(6), "other")
        #expect(try world.load("other") == bytes(6))
        #expect(world.names() == [world.name("other").rawValue])
        #expect(world.names(in: "old") == [world.name("key").rawValue])
    }

    @Test func removeAllEmptiesAndKeepsTheFolder() throws {
        let world = try DiskWorld()
        for number in 0..<20 { try world.store(bytes(3), "\(number)") }
        let below = world.engine.directory + "/folder/below"
        try FileManager.default.createDirectory(atPath: below, withIntermediateDirectories: true)
        makeFile(below + "/file", bytes(1))
        makeFile(world.engine.directory + "/.hidden", bytes(1))
        try world.engine.removeAll()
        #expect(world.names().isEmpty)
        #expect(FileManager.default.fileExists(atPath: world.engine.directory))
        try world.store(bytes(4), "key")
        #expect(try world.load("key") == bytes(4))
    }

    @Test func removeAllCreatesAMissingFolder() throws {
        let world = try DiskWorld(prepared: false)
        #expect(throws: DiskStorageFailure.self) { try world.store(bytes(4), "key") }
        try world.engine.removeAll()
        try world.store(bytes(4), "key")
        #expect(try world.load("key") == bytes(4))
    }
}
