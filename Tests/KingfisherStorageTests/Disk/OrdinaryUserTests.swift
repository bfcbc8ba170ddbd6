import Foundation
import Glibc
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import KingfisherStorage

/// Permissions do not stop root, so these tests need another user.
@Suite(.enabled(if: geteuid() != 0, "needs an ordinary user"))
struct OrdinaryUserTests {
    @Test("An unreadable folder is a miss", .behaviours("C-30"))
    func unreadableFolderIsAMiss() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        chmod(world.engine.directory, 0)
        #expect(!world.isCached("key"))
        #expect(try world.load("key") == nil)
        #expect(throws: DiskStorageFailure.self) { try world.engine.totalSize() }
        chmod(world.engine.directory, 0o755)
        #expect(try world.load("key") == bytes(5))
    }

    @Test("An unreadable file counts as cached, and reading it throws", .behaviours("C-30"))
    func unreadableFileIsCachedAndThrows() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key", .seconds(10))
        chmod(world.path("key"), 0)
        #expect(world.isCached("key"))
        #expect(
            throws: DiskStorageFailure.cannotLoad(
                path: world.path("key"), SystemError(.open, code: EACCES, path: world.path("key")))
        ) { try world.load("key") }
        try world.store(bytes(6), "key", .seconds(10))
        #expect(try world.load("key") == bytes(6))
        chmod(world.path("key"), 0)
        world.clock.advance(by: 11)
        #expect(try world.load("key") == nil)
    }

    @Test func readOnlyFolderServesReads() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        chmod(world.engine.directory, 0o555)
        #expect(try world.load("key", .cacheTime) == bytes(5))
        #expect(throws: DiskStorageFailure.self) { try world.store(bytes(6), "key") }
        #expect(throws: DiskStorageFailure.self) { try world.engine.remove(world.name("key")) }
        #expect(try world.load("key") == bytes(5))
        chmod(world.engine.directory, 0o755)
        #expect(world.names(in: "cache.staging").isEmpty)
        #expect(world.names() == [world.name("key").rawValue])
    }

    @Test func parentWithoutWritePermissionStagesInside() throws {
        let world = try DiskWorld()
        chmod(world.root, 0o555)
        defer { chmod(world.root, 0o755) }
        try world.store(bytes(5), "key")
        #expect(try world.load("key") == bytes(5))
        #expect(world.names() == [world.name("key").rawValue])
        #expect(!FileManager.default.fileExists(atPath: world.root + "/cache.staging"))
    }

    @Test func folderThatCannotBeCreatedThrows() throws {
        let world = try DiskWorld(folder: "parent/cache", prepared: false)
        try FileManager.default.createDirectory(
            atPath: world.root + "/parent", withIntermediateDirectories: true)
        chmod(world.root + "/parent", 0o555)
        defer { chmod(world.root + "/parent", 0o755) }
        let path = world.engine.directory
        #expect(
            throws: DiskStorageFailure.cannotCreateDirectory(
                path: path, SystemError(.makeDirectory, code: EACCES, path: path))
        ) { try world.engine.prepare() }
        #expect(throws: DiskStorageFailure.notReady(path: path)) { try world.load("key") }
    }

    @Test("An unreadable file of another user is a miss and is replaced")
    func unreadableFileOfAnotherUser() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key", .seconds(10))
        chmod(world.path("key"), 0)
        let other = DiskEngine(
            directory: world.engine.directory, fileSystem: FileSystem(user: geteuid() + 1),
            clock: world.clock, background: world.background.work)
        try other.prepare()
        #expect(!other.isCached(world.name("key")))
        #expect(try other.data(for: world.name("key")) == nil)
        try other.store(bytes(6), for: world.name("key"), expiration: .seconds(10), replacing: false)
        #expect(try world.load("key") == bytes(6))
    }

    @Test func readOnlyFileIsReadAndReplaced() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        chmod(world.path("key"), 0o444)
        #expect(try world.load("key", .expirationTime(.seconds(50))) == bytes(5))
        try world.store(bytes(6), "key")
        #expect(try world.load("key") == bytes(6))
    }
}
