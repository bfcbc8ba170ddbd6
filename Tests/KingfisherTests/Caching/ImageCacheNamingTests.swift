import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct ImageCacheNamingTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func cache(
        _ name: String = "naming", _ change: (inout DiskStorage.Config) -> Void = { _ in }
    ) throws -> ImageCache {
        var config = DiskStorage.Config(name: name, sizeLimit: 0, directory: folder.url)
        change(&config)
        return ImageCache(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 1 << 20)),
            diskStorage: try DiskStorage.Backend(config: config))
    }

    @Test(
        "The file name is the SHA-256 of the computed key in lower-case hex", .behaviours("U-1"))
    func hashedNames() throws {
        let cache = try cache()
        // Digests computed with coreutils' sha256sum.
        #expect(
            cache.hash(forKey: "hello") == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
        #expect(
            cache.hash(forKey: "hello", processorIdentifier: "id")
                == "a1810d749dcd00154e14d9ab0a9e85fef544842401b38a6630dfb2146ce37b75")
        #expect(
            cache.cachePath(forKey: "hello")
                == cache.diskStorage.directoryURL.path + "/" + cache.hash(forKey: "hello"))
    }

    @Test("Without hashing, the file name is the computed key")
    func plainNames() throws {
        let cache = try cache { $0.usesHashedFileName = false }
        #expect(cache.hash(forKey: "hello") == "hello")
        #expect(cache.hash(forKey: "hello", processorIdentifier: "id") == "hello@id")
        #expect(cache.hash(forKey: "hello", forcedExtension: "jpg") == "hello.jpg")
    }

    @Test(
        "A cache's name cannot point outside its base folder",
        arguments: ["..", "../x", "/../../x", "a/../../.."])
    func namesStayInside(name: String) throws {
        let path = try cache(name).diskStorage.directoryURL.standardizedFileURL.path
        #expect(path.hasPrefix(folder.url.standardizedFileURL.path + "/"))
    }

    @Test("The file has the configured extension; a forced one wins", .behaviours("C-17"))
    func pathExtension() throws {
        let cache = try cache { $0.pathExtension = "data" }
        #expect(cache.cachePath(forKey: "key").hasSuffix(".data"))
        #expect(
            cache.cachePath(forKey: "key", forcedExtension: "jpg").hasSuffix(
                "\(cache.hash(forKey: "key").prefix(64)).jpg"))
    }

    @Test(
        "The automatic extension is that of the key, if it is a plausible one", .behaviours("C-38"),
        arguments: [
            ("http://example.com/image.jpg", "jpg"), ("test.jpeg@com.x.Proc", "jpeg"), ("image.JPG", "JPG"),
            ("image.jpg?v=2", nil), ("https://example.net/57373197@300-a.jpg", nil), ("nodot", nil),
            ("name.", nil), ("name.aaaaaaaaaaaaaaaaaaaaa", nil),
            ("name.aaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaa"),
        ] as [(String, String?)])
    func automaticExtension(key: String, expected: String?) throws {
        let cache = try cache { $0.autoExtAfterHashedFileName = true }
        let name = cache.hash(forKey: key)
        #expect(name.dropFirst(64) == (expected.map { ".\($0)" } ?? ""))
    }

    @Test(
        "The folder is in the caches directory or the given one, with the cache's folder name",
        .behaviours("C-18"))
    func layout() throws {
        let named = try ImageCache(name: "n1", cacheDirectoryURL: folder.url)
        #expect(
            named.diskStorage.directoryURL.standardizedFileURL.path
                == folder.url.path + "/com.onevcat.Kingfisher.ImageCache.n1")
        let calls = Inbox<(URL, String)>()
        let chosen = try ImageCache(name: "n2", cacheDirectoryURL: folder.url) { directory, name in
            calls.put((directory, name))
            return directory.appending(path: "elsewhere")
        }
        #expect(chosen.diskStorage.directoryURL.standardizedFileURL.path == folder.url.path + "/elsewhere")
        #expect(calls.values.allSatisfy { $0.0.path == folder.url.path })
        #expect(calls.values.first?.1 == "com.onevcat.Kingfisher.ImageCache.n2")

        let caches = try FileManager.default.url(
            for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: false)
        let config = DiskStorage.Config(name: "n3", sizeLimit: 0)
        let path = config.cachePathBlock(caches, "com.onevcat.Kingfisher.ImageCache.n3").path
        let standard = ImageCache(name: "kingfisher-tests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: standard.diskStorage.directoryURL) }
        #expect(path == caches.path + "/com.onevcat.Kingfisher.ImageCache.n3")
        #expect(standard.diskStorage.directoryURL.deletingLastPathComponent().path == caches.path)
    }

    @Test(
        "A folder that cannot be created fails the throwing initialiser with the full path",
        .behaviours("C-19")
    )
    func impossibleFolder() throws {
        let file = folder.url.appending(path: "file")
        try Data([1]).write(to: file)
        let error = #expect(throws: KingfisherError.self) {
            _ = try ImageCache(name: "x", cacheDirectoryURL: file)
        }
        guard case .cacheError(.cannotCreateDirectory(let path, _)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(path == file.path + "/com.onevcat.Kingfisher.ImageCache.x")
    }

    @Test("A cache with an empty name is a programmer error", .behaviours("C-25"))
    func emptyName() async {
        await #expect(processExitsWith: .failure) { _ = ImageCache(name: "") }
    }

    @Test("A named cache has the documented defaults")
    func defaults() throws {
        let cache = try ImageCache(name: "defaults", cacheDirectoryURL: folder.url)
        #expect(cache.memoryStorage.config.countLimit == .max)
        #expect(cache.memoryStorage.config.cleanInterval == 120)
        #expect(!cache.memoryStorage.config.keepWhenEnteringBackground)
        #expect(
            cache.memoryStorage.config.totalCostLimit
                == Int(clamping: ProcessInfo.processInfo.physicalMemory / 4))
        #expect(cache.memoryStorage.config.expiration.isSeconds(300))
        #expect(cache.diskStorage.config.expiration.isSeconds(7 * 86_400))
        #expect(cache.diskStorage.config.usesHashedFileName)
        #expect(!cache.diskStorage.config.autoExtAfterHashedFileName)
        #expect(cache.diskStorage.config.pathExtension == nil)
        #expect(cache.diskStorage.config.name == "defaults")
    }
}

extension StorageExpiration {
    fileprivate func isSeconds(_ expected: TimeInterval) -> Bool {
        switch self {
        case .seconds(let seconds): seconds == expected
        case .days(let days): TimeInterval(days) * 86_400 == expected
        default: false
        }
    }
}
