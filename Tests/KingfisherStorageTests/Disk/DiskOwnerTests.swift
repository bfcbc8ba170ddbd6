import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

private func partialResource() throws -> PartialResource {
    try #require(PartialResource(total: 9, validator: "\"tag\"", request: 7, location: 8))
}

/// Another user may write to the cache folder or its parent, and has put files and folders there.
@Suite(.enabled(if: geteuid() == 0, "chown"))
struct DiskOwnerTests {
    private static let other: uid_t = 65_534

    private func give(_ path: String, to user: uid_t = other) {
        #expect(lchown(path, user, user) == 0)
    }

    private func makeFolder(_ path: String, mode: mode_t, owner: uid_t) {
        #expect(mkdir(path, mode) == 0 && chmod(path, mode) == 0)
        give(path, to: owner)
    }

    @Test(
        "A file or link of another user is a miss and is replaced",
        arguments: ["small", "mapped", "link", "damaged"])
    func foreignEntry(kind: String) throws {
        let world = try DiskWorld()
        let (path, name) = (world.path("key"), world.name("key"))
        try world.store(bytes(kind == "mapped" ? 300_000 : 5), "key")
        if kind == "link" {
            try FileManager.default.moveItem(atPath: path, toPath: world.root + "/target")
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: world.root + "/target")
        } else if kind == "damaged" {
            try world.rewrite("key") { $0.removeLast() }
        }
        give(path)
        #expect(!world.isCached("key"))
        #expect(try world.load("key", .cacheTime) == nil)
        #expect(try world.engine.open(name) == nil)
        #expect(!world.engine.renew(name, expiration: .seconds(100)))
        #expect(try FileSystem().status(of: path).owner == Self.other, "Stays until it is replaced")
        try world.engine.store(bytes(9), for: name, expiration: .seconds(100), replacing: false)
        #expect(try world.load("key") == bytes(9))
        #expect(try world.status("key").owner == geteuid())
        try world.store(bytes(9), "key")
        give(path)
        try world.engine.remove(name)
        #expect(world.names().isEmpty)
    }

    @Test("A file of root is an entry of every user")
    func fileOfRoot() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        let engine = DiskEngine(
            directory: world.engine.directory, fileSystem: FileSystem(user: Self.other), clock: world.clock,
            background: world.background.work)
        try engine.prepare()
        #expect(try engine.data(for: world.name("key"), extending: .none) == bytes(5))
    }

    @Test("Inspection lists a file of another user, without its attribute, as unreadable")
    func inspection() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        give(world.path("key"))
        var found: [InspectedEntry] = []
        try world.engine.inspect(named: FileNaming()) {
            if case .entry(let entry) = $0 { found.append(entry) }
        }
        let entry = try #require(found.first)
        #expect(found.count == 1 && entry.storedAt == nil)
        let refusal = SystemError(.open, code: EPERM, path: world.path("key"))
        #expect(world.engine.condition(of: entry) == .unreadable(refusal))
        #expect(try world.engine.remove(entry))
    }

    @Test(
        "A staging folder of another user, or one to which others may write, is not used",
        arguments: [(other, 0o700), (other, 0o777), (0, 0o770), (0, 0o702)] as [(uid_t, mode_t)])
    func stagingFolder(owner: uid_t, mode: mode_t) throws {
        let world = try DiskWorld()
        let staging = world.root + "/cache.staging"
        makeFolder(staging, mode: mode, owner: owner)
        let leftover = "0-1-0-1"
        makeFile("\(staging)/\(leftover)", Data([1]))
        let (url, temporary) = ("https://example.org/a.png", "/var/tmp")
        _ = world.faults.takeCalls()
        try world.store(bytes(5), "key")
        let resource = try partialResource()
        #expect(world.engine.bodies.makePartial(for: url, resource) == nil)
        let body = try world.engine.bodies.makeFile()
        try bytes(300_000).withUnsafeBytes { try body.append($0) }
        let opened = world.faults.takeCalls().filter { $0.name == .open }.map(\.path)
        #expect(opened.contains { $0.hasPrefix(world.engine.directory + "/.kingfisher-") })
        #expect(opened.contains(ProcessInfo.processInfo.environment["TMPDIR"] ?? temporary))
        try world.store(try body.complete(), "body")
        #expect(try world.load("key") == bytes(5) && world.load("body") == bytes(300_000))
        world.clock.advance(by: max(0, Date().timeIntervalSince(world.clock.now)) + 7_200)
        _ = try world.engine.removeExpired()
        #expect(world.names(in: "cache.staging") == [leftover])
    }

    @Test("A partial file that others may write is not continued", arguments: [0o620, 0o602] as [mode_t])
    func writablePartialFile(mode: mode_t) throws {
        let world = try DiskWorld()
        let url = "https://example.org/a.png"
        let resource = try partialResource()
        let file = try #require(world.engine.bodies.makePartial(for: url, resource))
        try bytes(5).withUnsafeBytes { try file.append($0) }
        file.close()
        #expect(chmod(world.root + "/cache.staging/" + PartialFiles.name(for: url), mode) == 0)
        #expect(world.engine.bodies.openPartial(for: url) == nil)
    }

    @Test(
        "A cache folder of another user is refused if others may write to it",
        arguments: [
            (other, 0o700, false), (other, 0o755, false), (other, 0o775, true), (other, 0o702, true),
            (other, 0o777, true), (0, 0o777, false),
        ] as [(uid_t, mode_t, Bool)])
    func cacheFolder(owner: uid_t, mode: mode_t, isRefused: Bool) throws {
        let world = try DiskWorld(prepared: false)
        let path = world.engine.directory
        makeFolder(path, mode: mode, owner: owner)
        makeFile(path + "/file", Data([1]))
        guard isRefused else {
            try world.engine.prepare()
            try world.store(bytes(5), "key")
            #expect(try world.load("key") == bytes(5))
            #expect(try FileSystem().status(of: path).permissions == mode)
            return
        }
        let refusal = SystemError(.open, code: EPERM, path: path)
        #expect(throws: DiskStorageFailure.cannotCreateDirectory(path: path, refusal)) {
            try world.engine.prepare()
        }
        #expect(throws: DiskStorageFailure.notReady(path: path)) { try world.load("key") }
        #expect(throws: DiskStorageFailure.cannotEnumerate(path: path, refusal)) {
            try world.engine.removeAll()
        }
        #expect(throws: DiskStorageFailure.self) { try world.engine.inspect(named: FileNaming()) { _ in } }
        #expect(world.names() == ["file"])
    }

    @Test("If another user exchanges the finished file, the store fails and the file is removed")
    func exchangedFile() throws {
        let world = try DiskWorld()
        try world.store(bytes(5), "key")
        let (path, staging) = (world.path("key"), world.root + "/cache.staging/")
        @Sendable func exchange(_ give: @Sendable (String) -> Void) {
            for name in world.names(in: "cache.staging") {
                unlink(staging + name)
                makeFile(staging + name, bytes(7))
                give(staging + name)
            }
        }
        world.faults.fail { call, renamed in
            if call == .rename, renamed == path { exchange { lchown($0, Self.other, Self.other) } }
            return 0
        }
        let refusal = SystemError(.rename, code: EPERM, path: path)
        #expect(throws: DiskStorageFailure.cannotCreateFile(path: path, refusal)) {
            try world.store(bytes(6), "key")
        }
        #expect(world.names().isEmpty && world.names(in: "cache.staging").isEmpty)
        // Another process of this user may store the same entry at the same time.
        world.faults.fail { call, renamed in
            if call == .rename, renamed == path { exchange { _ in } }
            return 0
        }
        try world.store(bytes(6), "key")
    }

    @Test("A folder that is exchanged for a link of another user while it is opened is refused")
    func exchangedFolder() throws {
        let world = try DiskWorld()
        let (path, target) = (world.engine.directory, world.root + "/documents")
        #expect(mkdir(target, 0o700) == 0)
        makeFile(target + "/letter", Data([1]))
        let opens = Counter()
        // The name leads to the documents while it is opened, and to the folder again when it is checked.
        world.faults.fail { call, opened in
            guard opened == path else { return 0 }
            if call == .open, opens.next() == 1 {
                #expect(rename(path, path + ".own") == 0 && symlink(target, path) == 0)
            } else if call == .status {
                #expect(unlink(path) == 0 && rename(path + ".own", path) == 0)
            }
            return 0
        }
        #expect(try world.engine.totalSize() == 0, "As if the folder had just been removed")
        #expect(opens.next() == 2)
    }

    @Test("A private file is not stored in a folder of another user to which others may write")
    func privateFile() throws {
        let world = try DiskWorld()
        let folder = world.root + "/thumbnails"
        makeFolder(folder, mode: 0o777, owner: Self.other)
        #expect(throws: SystemError(.open, code: EPERM, path: folder)) {
            try FileSystem().replacePrivateFile("name", in: folder, with: bytes(5))
        }
        #expect(world.names(in: "thumbnails").isEmpty)
        give(folder, to: 0)
        let fileSystem = FileSystem { call, renamed in
            guard call == .rename, renamed == "name" else { return 0 }
            for name in world.names(in: "thumbnails") { lchown("\(folder)/\(name)", Self.other, Self.other) }
            return 0
        }
        #expect(throws: SystemError(.rename, code: EPERM, path: "name")) {
            try fileSystem.replacePrivateFile("name", in: folder, with: bytes(5))
        }
        #expect(world.names(in: "thumbnails").isEmpty)
    }
}

/// The permissions of what a cache makes.
struct DiskModeTests {
    private func mode(_ path: String) throws -> mode_t { try FileSystem().status(of: path).permissions }

    @Test("New folders, also above the cache folder, have mode 0700 and files 0600")
    func newFolders() throws {
        let world = try DiskWorld(folder: "cache-home/app/cache")
        try world.store(bytes(5), "key")
        for folder in ["", "/app", "/app/cache", "/app/cache.staging"] {
            #expect(try mode(world.root + "/cache-home" + folder) == 0o700, "\(folder)")
        }
        #expect(try mode(world.path("key")) == 0o600)
        try FileManager.default.removeItem(atPath: world.engine.directory)
        try world.store(bytes(5), "key")
        #expect(try mode(world.engine.directory) == 0o700)
    }

    @Test(
        "A folder that exists keeps its mode, and new files get its read permissions",
        arguments: [(0o755, 0o644), (0o750, 0o640), (0o711, 0o600), (0o700, 0o600)] as [(mode_t, mode_t)])
    func existingFolder(folder: mode_t, file: mode_t) throws {
        let world = try DiskWorld(prepared: false)
        #expect(mkdir(world.engine.directory, 0o700) == 0 && chmod(world.engine.directory, folder) == 0)
        try world.engine.prepare()
        try world.store(bytes(5), "copied")
        let body = try world.engine.bodies.makeFile()
        try bytes(300_000).withUnsafeBytes { try body.append($0) }
        try world.store(try body.complete(), "moved")
        #expect(try mode(world.path("copied")) == file && mode(world.path("moved")) == file)
        #expect(try mode(world.engine.directory) == folder)
        #expect(try mode(world.engine.directory + ".staging") == 0o700)
    }

    @Test("The settings add permissions, and never remove those that the cache needs")
    func settings() throws {
        let settings = DiskSettings(folderMode: 0o050, fileMode: 0o4711)
        let world = try DiskWorld(folder: "above/cache", settings: settings)
        try world.store(bytes(5), "key")
        #expect(try mode(world.root + "/above") == 0o750 && mode(world.engine.directory) == 0o750)
        // 0600, the read and write permissions of 0711, and the read permission of 0750.
        #expect(try mode(world.path("key")) == 0o640)
        world.engine.settings.fileMode = 0o664
        try world.store(bytes(5), "key")
        #expect(try mode(world.path("key")) == 0o664)
    }

    @Test("A file whose mode cannot be set is stored")
    func withoutPermissions() throws {
        let world = try DiskWorld(settings: DiskSettings(fileMode: 0o644))
        world.faults.fail(.setMode, with: EPERM)
        try world.store(bytes(5), "key")
        #expect(try world.load("key") == bytes(5))
    }

    @Test("Interrupted downloads have mode 0600")
    func partialFiles() throws {
        let world = try DiskWorld()
        let url = "https://example.org/a.png"
        let resource = try partialResource()
        let file = try #require(world.engine.bodies.makePartial(for: url, resource))
        #expect(try mode(world.root + "/cache.staging/" + PartialFiles.name(for: url)) == 0o600)
        file.close()
    }

    @Test("A large file that others may write is read, not mapped", arguments: [0o644, 0o664] as [mode_t])
    func writableFile(mode: mode_t) throws {
        let world = try DiskWorld()
        try world.store(bytes(300_000), "key")
        #expect(chmod(world.path("key"), mode) == 0)
        let data = try #require(try world.load("key"))
        #expect(data == bytes(300_000))
        #expect((FileMapping.of(data) == nil) == (mode == 0o664))
    }
}
