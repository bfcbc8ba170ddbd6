import Foundation
import Glibc
import Kingfisher
import KingfisherStorage
import KingfisherTestSupport
import Testing
import TestHelpers

/// Behaviours C-26 to C-42, through the public storage.
final class DiskStorageTests {
    private let clock = ManualClock()
    private let base = FileManager.default.temporaryDirectory
        .appendingPathComponent("kingfisher-disk-\(UUID().uuidString)", isDirectory: true)

    deinit { try? FileManager.default.removeItem(at: base) }

    private func config(
        sizeLimit: UInt = 0, _ change: (inout DiskStorage.Config) -> Void = { _ in }
    ) -> DiskStorage.Config {
        var config = DiskStorage.Config(name: "test", sizeLimit: sizeLimit, directory: base)
        change(&config)
        return config
    }

    private func storage(
        sizeLimit: UInt = 0, fileSystem: FileSystem = FileSystem(),
        _ change: (inout DiskStorage.Config) -> Void = { _ in }
    ) throws -> DiskStorage.Backend<Data> {
        try DiskStorage.Backend(
            config: config(sizeLimit: sizeLimit, change), fileSystem: fileSystem, clock: clock)
    }

    private let payload = Data("image".utf8)

    /// Runs `body`, which must fail with a cache error, and returns its reason.
    private func reason(_ body: () throws -> Void) -> KingfisherError.CacheErrorReason? {
        do {
            try body()
            Issue.record("No error")
        } catch KingfisherError.cacheError(let reason) {
            return reason
        } catch {
            Issue.record("\(error)")
        }
        return nil
    }

    @Test func defaults() {
        let config = DiskStorage.Config(name: "name", sizeLimit: 5)
        #expect(config.expiration.timeInterval == 7 * 86_400)
        #expect(config.pathExtension == nil)
        #expect(config.usesHashedFileName)
        #expect(!config.autoExtAfterHashedFileName)
        #expect(config.name == "name")
        #expect(config.sizeLimit == 5)
    }

    @Test(
        "The folder is at the configured path and exists once the storage is created",
        .behaviours("C-18", "C-26"))
    func folder() throws {
        let storage = try storage()
        #expect(storage.directoryURL.path == base.path + "/com.onevcat.Kingfisher.ImageCache.test")
        #expect(FileManager.default.fileExists(atPath: storage.directoryURL.path))
        let seen = try self.storage {
            $0.cachePathBlock = { base, name in base.appendingPathComponent("own-" + name) }
        }
        #expect(seen.directoryURL.path == base.path + "/own-com.onevcat.Kingfisher.ImageCache.test")
    }

    private func mode(_ url: URL) -> mode_t {
        var status = stat()
        return stat(url.path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("Only this user may read new folders and files, unless the settings say otherwise")
    func modes() throws {
        let storage = try storage()
        try storage.store(value: payload, forKey: "key")
        let file = storage.cacheFileURL(forKey: "key")
        #expect(mode(base) == 0o700 && mode(storage.directoryURL) == 0o700 && mode(file) == 0o600)
        storage.config.fileMode = 0o640
        try storage.store(value: payload, forKey: "key")
        #expect(mode(file) == 0o640)
        try FileManager.default.removeItem(at: base)
        let readable = try self.storage { $0.folderMode = 0o755 }
        try readable.store(value: payload, forKey: "key")
        #expect(mode(base) == 0o755 && mode(readable.directoryURL) == 0o755 && mode(file) == 0o644)
    }

    @Test(
        "A file of another user is in no answer of the storage", .enabled(if: geteuid() == 0, "chown"))
    func otherUser() throws {
        let storage = try storage()
        try storage.store(value: payload, forKey: "key")
        let cache = ImageCache(memoryStorage: .init(config: .init(totalCostLimit: 1)), diskStorage: storage)
        #expect(cache.cacheFileURLIfOnDisk(forKey: "key") != nil)
        #expect(chown(storage.cacheFileURL(forKey: "key").path, 65_534, 65_534) == 0)
        #expect(!storage.isCached(forKey: "key") && cache.cacheFileURLIfOnDisk(forKey: "key") == nil)
        #expect(try storage.value(forKey: "key") == nil)
        let entry = try #require(try storage.entries().first)
        #expect(storage.state(of: entry) == .unreadable(code: EPERM))
        try storage.store(value: payload, forKey: "key")
        #expect(try storage.value(forKey: "key") == payload)
    }

    @Test func storesAndRemoves() throws {
        let storage = try storage()
        try storage.store(value: payload, forKey: "key")
        #expect(storage.isCached(forKey: "key"))
        #expect(try storage.value(forKey: "key") == payload)
        #expect(try Data(contentsOf: storage.cacheFileURL(forKey: "key")) == payload)
        #expect(try storage.value(forKey: "absent") == nil)
        try storage.remove(forKey: "key")
        try storage.remove(forKey: "key")
        #expect(!storage.isCached(forKey: "key"))
        try storage.store(value: payload, forKey: "key")
        #expect(try storage.totalSize() == UInt(payload.count))
        try storage.removeAll()
        #expect(try storage.totalSize() == 0)
    }

    @Test("A file removed by another program is a miss", .behaviours("C-28"))
    func removedBehindTheStorage() throws {
        let storage = try storage()
        try storage.store(value: payload, forKey: "key")
        try FileManager.default.removeItem(at: storage.cacheFileURL(forKey: "key"))
        #expect(!storage.isCached(forKey: "key"))
        #expect(try storage.value(forKey: "key") == nil)
    }

    @Test(
        "A dangling link counts as cached, and loading it throws cannotLoadDataFromDisk", .behaviours("C-29"))
    func danglingLink() throws {
        let storage = try storage()
        let url = storage.cacheFileURL(forKey: "key")
        try FileManager.default.createSymbolicLink(
            at: url, withDestinationURL: base.appendingPathComponent("nowhere"))
        #expect(storage.isCached(forKey: "key"))
        guard
            case .cannotLoadDataFromDisk(let failed, let error) = reason({
                _ = try storage.value(forKey: "key")
            })
        else {
            Issue.record("Unexpected reason")
            return
        }
        #expect(failed == url)
        #expect((error as NSError).domain == NSPOSIXErrorDomain)
        #expect((error as NSError).code == Int(ELOOP))
    }

    @Test(
        "Unreadable metadata of an existing file throws invalidURLResource",
        .behaviours("C-30"))
    func unreadableMetadata() throws {
        let stored = Inbox<Void>()
        let storage = try storage(
            fileSystem: FileSystem { call, _ in call == .status && stored.count > 0 ? EIO : 0 })
        try storage.store(value: payload, forKey: "key")
        stored.put()
        guard case .invalidURLResource(_, let key, let url) = reason({ _ = try storage.value(forKey: "key") })
        else {
            Issue.record("Unexpected reason")
            return
        }
        #expect(key == "key")
        #expect(url == storage.cacheFileURL(forKey: "key"))
    }

    @Test(
        "A folder that cannot be created fails the initialiser with the full path", .behaviours("C-19"))
    func folderThatCannotBeMade() throws {
        #expect(FileManager.default.createFile(atPath: base.path, contents: Data()))
        guard case .cannotCreateDirectory(let path, _) = reason({ _ = try storage() }) else {
            Issue.record("Unexpected reason")
            return
        }
        #expect(path == base.path + "/com.onevcat.Kingfisher.ImageCache.test")
    }

    @Test(
        "Reading extends by the stored lifetime, by a given one, or not at all; checking never does",
        .behaviours("C-33"))
    func expirationAndExtension() throws {
        let storage = try storage { $0.expiration = .seconds(2) }
        try storage.store(value: payload, forKey: "a")
        try storage.store(value: payload, forKey: "b")
        try storage.store(value: payload, forKey: "c")
        clock.advance(by: 1)
        #expect(try storage.value(forKey: "a", extendingExpiration: .none) == payload)
        #expect(try storage.value(forKey: "b") == payload)
        #expect(try storage.value(forKey: "c", extendingExpiration: .expirationTime(.seconds(9))) == payload)
        #expect(storage.isCached(forKey: "a", referenceDate: clock.now + 0.9))
        clock.advance(by: 1.5)
        #expect(["a", "b", "c"].filter { storage.isCached(forKey: $0) } == ["b", "c"])
        clock.advance(by: 1)
        #expect(["a", "b", "c"].filter { storage.isCached(forKey: $0) } == ["c"])
    }

    @Test("A sweep returns the URLs of the removed files and leaves the others", .behaviours("C-35"))
    func removeExpiredReturnsURLs() throws {
        let storage = try storage()
        try storage.store(value: payload, forKey: "a", expiration: .seconds(1))
        try storage.store(value: payload, forKey: "b", expiration: .never)
        clock.advance(by: 2)
        #expect(try storage.removeExpiredValues() == [storage.cacheFileURL(forKey: "a")])
        #expect(storage.isCached(forKey: "b"))
    }

    @Test(
        "Shrinking removes the least recently used files down to half of the limit; 0 is no limit",
        .behaviours("C-36"))
    func sizeLimit() throws {
        let storage = try storage(sizeLimit: 5)
        for number in 0..<10 {
            try storage.store(value: Data([1]), forKey: "\(number)")
            clock.advance(by: 1)
        }
        let removed = try storage.removeSizeExceededValues()
        #expect(removed == (0..<8).map { storage.cacheFileURL(forKey: "\($0)") })
        #expect(try storage.totalSize() == 2)
        storage.config.sizeLimit = 0
        #expect(try storage.removeSizeExceededValues() == [])
    }

    @Test("No cache's folder is the staging folder of another cache")
    func namesLikeStaging() throws {
        func folder(_ name: String) throws -> URL {
            let config = DiskStorage.Config(name: name, sizeLimit: 0, directory: base)
            return try DiskStorage.Backend<Data>(config: config).directoryURL
        }
        let staging = try folder("a").path + ".staging"
        #expect(try folder("a.staging").path != staging)
        #expect(try !folder("a.staging/b").path.hasPrefix(staging + "/"))
        #expect(try folder("a.staging").path != folder("a%2Estaging").path + ".staging")
    }

    @Test(
        "A storage opened for inspection creates no folder and stores nothing, but lists and removes entries")
    func inspecting() throws {
        let inspector = DiskStorage.Backend<Data>(inspecting: config())
        #expect(try inspector.entries().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: inspector.directoryURL.path))
        #expect(throws: KingfisherError.self) { try inspector.store(value: payload, forKey: "key") }
        let storage = try DiskStorage.Backend<Data>(config: config())
        try storage.store(value: payload, forKey: "key")
        let entry = try #require(try inspector.entries().first)
        #expect(inspector.state(of: entry) == .intact)
        #expect(try inspector.remove(entry))
        #expect(!storage.isCached(forKey: "key"))
    }

    @Test(
        "File names follow the key, the hashing setting and the extensions",
        .behaviours("C-37", "C-38", "C-11"))
    func names() throws {
        let storage = try storage()
        let digest = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"
        #expect(storage.cacheFileURL(forKey: "key").lastPathComponent == digest)
        #expect(
            storage.cacheFileURL(forKey: "key", forcedExtension: "jpg").lastPathComponent == digest + ".jpg")
        storage.config.pathExtension = "png"
        #expect(storage.cacheFileURL(forKey: "key").lastPathComponent == digest + ".png")
        storage.config.pathExtension = nil
        storage.config.usesHashedFileName = false
        #expect(storage.cacheFileURL(forKey: "key").lastPathComponent == "key")
        #expect(storage.cacheFileURL(forKey: "../key").path == storage.directoryURL.path + "/%2E.%2Fkey")
        try storage.store(value: payload, forKey: "../key")
        #expect(try storage.value(forKey: "../key") == payload)
        storage.config.usesHashedFileName = true
        storage.config.autoExtAfterHashedFileName = true
        #expect(storage.cacheFileURL(forKey: "a/b.jpeg@proc").pathExtension == "jpeg")
    }

    @Test func forcedExtensionIsAnotherFile() throws {
        let storage = try storage()
        try storage.store(value: payload, forKey: "key", forcedExtension: "jpg")
        #expect(storage.isCached(forKey: "key", forcedExtension: "jpg"))
        #expect(!storage.isCached(forKey: "key"))
        #expect(try storage.value(forKey: "key") == nil)
        try storage.remove(forKey: "key", forcedExtension: "jpg")
        #expect(!storage.isCached(forKey: "key", forcedExtension: "jpg"))
    }

    @Test("Storing with an expired policy stores nothing, without an error", .behaviours("C-39"))
    func expiredStoresNothing() throws {
        let storage = try storage()
        try storage.store(value: payload, forKey: "key", expiration: .expired)
        #expect(try storage.totalSize() == 0)
    }

    @Test("A file whose attributes cannot be set is removed", .behaviours("C-40"))
    func failedAttributeRemovesTheFile() throws {
        let storage = try storage(fileSystem: FileSystem { call, _ in call == .setTimes ? EIO : 0 })
        let reason = reason { try storage.store(value: payload, forKey: "key") }
        guard case .cannotSetCacheFileAttribute(let path, _, _) = reason else {
            Issue.record("Unexpected reason")
            return
        }
        #expect(path == storage.cacheFileURL(forKey: "key").path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: storage.directoryURL.path) == [])
    }

    @Test func failedWriteCarriesKeyAndData() throws {
        let storage = try storage(fileSystem: FileSystem { call, _ in call == .write ? ENOSPC : 0 })
        let reason = reason { try storage.store(value: payload, forKey: "key") }
        guard case .cannotCreateCacheFile(let url, let key, let data, let error) = reason else {
            Issue.record("Unexpected reason")
            return
        }
        #expect(url == storage.cacheFileURL(forKey: "key"))
        #expect(key == "key")
        #expect(data == payload)
        #expect((error as NSError).code == Int(ENOSPC))
    }

    @Test func failedListing() throws {
        let storage = try storage(fileSystem: FileSystem { call, _ in call == .list ? EMFILE : 0 })
        guard case .fileEnumeratorCreationFailed(let url) = reason({ _ = try storage.totalSize() }) else {
            Issue.record("Unexpected reason")
            return
        }
        #expect(url == storage.directoryURL)
    }

    @Test func withoutOverwriting() throws {
        let storage = try storage()
        try storage.store(value: payload, forKey: "key", writeOptions: .withoutOverwriting)
        let reason = reason {
            try storage.store(value: Data(), forKey: "key", writeOptions: .withoutOverwriting)
        }
        guard case .cannotCreateCacheFile = reason else {
            Issue.record("Unexpected reason")
            return
        }
        #expect(try storage.value(forKey: "key") == payload)
    }

    // MARK: Values other than Data

    private struct Word: DataTransformable, Equatable {
        struct Unreadable: Error {}
        let text: String

        func toData() throws -> Data {
            if text == "unwritable" { throw Unreadable() }
            return Data(text.utf8)
        }

        static func fromData(_ data: Data) throws -> Word {
            let text = String(decoding: data, as: UTF8.self)
            if text == "unreadable" { throw Unreadable() }
            return Word(text: text)
        }

        static let empty = Word(text: "")
    }

    @Test func transformedValues() throws {
        let storage = try DiskStorage.Backend<Word>(config: config(), clock: clock)
        try storage.store(value: Word(text: "word"), forKey: "key")
        #expect(try storage.value(forKey: "key") == Word(text: "word"))
        let unwritable = reason { try storage.store(value: Word(text: "unwritable"), forKey: "key") }
        guard case .cannotConvertToData(_, is Word.Unreadable) = unwritable else {
            Issue.record("Unexpected reason")
            return
        }
        try storage.store(value: Word(text: "unreadable"), forKey: "key")
        guard
            case .cannotLoadDataFromDisk(_, is Word.Unreadable) = reason({
                _ = try storage.value(forKey: "key")
            })
        else {
            Issue.record("Unexpected reason")
            return
        }
    }
}
