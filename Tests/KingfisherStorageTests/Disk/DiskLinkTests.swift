import Foundation
import Glibc
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import KingfisherStorage

/// Links, folders and pipes under an entry's name.
struct DiskLinkTests {
    private func link(_ world: DiskWorld, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: world.path("key"), withDestinationPath: target)
    }

    private func loadFailure(_ world: DiskWorld) -> DiskStorageFailure {
        .cannotLoad(path: world.path("key"), SystemError(.open, code: ELOOP, path: world.path("key")))
    }

    @Test("A dangling link is cached, but cannot be loaded", .behaviours("C-29"))
    func danglingLinkIsCachedButCannotBeLoaded() throws {
        let world = try DiskWorld()
        try link(world, to: world.root + "/nowhere")
        #expect(world.isCached("key"))
        #expect(throws: loadFailure(world)) { try world.load("key") }
    }

    @Test func linkIsNeverFollowed() throws {
        let world = try DiskWorld()
        let target = world.root + "/secret"
        try Data("secret".utf8).write(to: URL(fileURLWithPath: target))
        try link(world, to: target)
        #expect(throws: loadFailure(world)) { try world.load("key") }
        try world.store(bytes(9), "key")
        #expect(try world.load("key") == bytes(9))
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("secret".utf8))
        #expect(try world.status("key").kind == .regular)
    }

    @Test func removingALinkLeavesItsTarget() throws {
        let world = try DiskWorld()
        try FileManager.default.createDirectory(
            atPath: world.root + "/target/below", withIntermediateDirectories: true)
        try link(world, to: world.root + "/target")
        try world.engine.remove(world.name("key"))
        #expect(!world.isCached("key"))
        try link(world, to: world.root + "/target")
        try world.engine.removeAll()
        #expect(world.names().isEmpty)
        #expect(world.names(in: "target") == ["below"])
    }

    @Test(
        "A link of another user in place of the folder is not followed", .enabled(if: geteuid() == 0, "chown")
    )
    func foreignLinkInPlaceOfTheFolder() throws {
        let world = try DiskWorld()
        let (folder, target) = (world.engine.directory, world.root + "/documents")
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        try Data([1]).write(to: URL(fileURLWithPath: target + "/letter"))
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: target)
        // A link of the same user may lead to another disk.
        #expect(try world.engine.totalSize() == 1)
        #expect(lchown(folder, 65_534, 65_534) == 0)
        let refusal = SystemError(.open, code: EPERM, path: folder)
        #expect(throws: DiskStorageFailure.cannotCreateDirectory(path: folder, refusal)) {
            try DiskEngine(directory: folder).prepare()
        }
        #expect(throws: DiskStorageFailure.self) { try world.engine.removeAll() }
        #expect(throws: DiskStorageFailure.self) { try world.engine.inspect(named: FileNaming()) { _ in } }
        #expect(world.names(in: "documents") == ["letter"])
    }

    @Test func linkInPlaceOfTheStagingFolderIsNotUsed() throws {
        let world = try DiskWorld()
        try FileManager.default.createDirectory(
            atPath: world.root + "/elsewhere", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: world.root + "/cache.staging", withDestinationPath: world.root + "/elsewhere")
        try world.store(bytes(9), "key")
        #expect(try world.load("key") == bytes(9))
        let created = world.faults.takeCalls().filter { $0.name == .open }.map(\.path)
        #expect(created.contains { $0.hasPrefix(world.engine.directory + "/.kingfisher-") })
        #expect(world.names() == [world.name("key").rawValue])
    }

    @Test(arguments: [false, true])
    func folderInTheWayIsMovedAside(stagingTaken: Bool) throws {
        let world = try DiskWorld()
        if stagingTaken {
            makeFile(world.root + "/cache.staging", Data())
        }
        try FileManager.default.createDirectory(
            atPath: world.path("key") + "/below", withIntermediateDirectories: true)
        #expect(try world.load("key") == nil)
        #expect(!world.isCached("key"))
        try world.store(bytes(9), "key")
        #expect(try world.load("key") == bytes(9))
        #expect(try world.engine.totalSize() == 9)
        let aside =
            stagingTaken ? world.names().filter { $0.hasPrefix(".") } : world.names(in: "cache.staging")
        #expect(aside.count == 1)
        // A sweep removes it once it is old; its age is by the kernel's clock.
        world.clock.advance(by: max(0, Date().timeIntervalSince(world.clock.now)) + 7_200)
        _ = try world.engine.removeExpired()
        #expect(world.names().filter { $0.hasPrefix(".") }.isEmpty)
        #expect(stagingTaken || world.names(in: "cache.staging").isEmpty)
    }

    @Test func removingAFolderInTheWay() throws {
        let world = try DiskWorld()
        try FileManager.default.createDirectory(
            atPath: world.path("key") + "/below", withIntermediateDirectories: true)
        try world.engine.remove(world.name("key"))
        #expect(world.names().isEmpty)
    }

    /// Opening a pipe for reading blocks until there is a writer, unless it is opened with O_NONBLOCK.
    @Test(.timeLimit(.minutes(1))) func pipeIsAMiss() throws {
        let world = try DiskWorld()
        try #require(mkfifo(world.path("key"), 0o644) == 0)
        #expect(try world.load("key") == nil)
        #expect(!world.isCached("key"))
        try world.store(bytes(9), "key")
        #expect(try world.load("key") == bytes(9))
    }
}
