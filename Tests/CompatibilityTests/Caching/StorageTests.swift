import Foundation
import Kingfisher
import Testing

/// A custom value in a disk storage.
private struct Recipe: DataTransformable, Codable, Sendable, Equatable {
    var title: String

    static let empty = Recipe(title: "")

    func toData() throws -> Data {
        try JSONEncoder().encode(self)
    }

    static func fromData(_ data: Data) throws -> Recipe {
        try JSONDecoder().decode(Recipe.self, from: data)
    }
}

/// A custom value with a cost for a memory storage.
private final class Chapter: CacheCostCalculable, Sendable {
    let cacheCost: Int

    init(pages: Int) {
        cacheCost = pages
    }
}

@Suite(.timeLimit(.minutes(1))) struct StorageTests {
    let box: Sandbox

    init() throws {
        box = try Sandbox()
    }

    private func diskStorage<T: DataTransformable & Sendable>(
        _ name: String, sizeLimit: UInt = 0, _ change: (inout DiskStorage.Config) -> Void = { _ in }
    ) throws -> DiskStorage.Backend<T> {
        var config = DiskStorage.Config(name: name, sizeLimit: sizeLimit, directory: box.place("storages"))
        change(&config)
        return try DiskStorage.Backend<T>(config: config)
    }

    @Test("A disk storage stores custom values")
    func ownValues() throws {
        let storage: DiskStorage.Backend<Recipe> = try diskStorage("recipes")
        try storage.store(value: Recipe(title: "Bread"), forKey: "bread", expiration: .days(365))
        #expect(storage.isCached(forKey: "bread"))
        #expect(try storage.value(forKey: "bread") == Recipe(title: "Bread"))
        #expect(try storage.value(forKey: "soup") == nil)
        #expect(storage.isCached(forKey: "bread", referenceDate: Date(timeIntervalSinceNow: 364 * 86_400)))
        #expect(!storage.isCached(forKey: "bread", referenceDate: Date(timeIntervalSinceNow: 366 * 86_400)))
        try storage.remove(forKey: "bread")
        #expect(!storage.isCached(forKey: "bread"))
    }

    @Test("File names follow the configuration")
    func names() throws {
        let plain: DiskStorage.Backend<Data> = try diskStorage("plain") { config in
            config.usesHashedFileName = false
            config.pathExtension = "bin"
            config.cachePathBlock = { directory, name in directory.appendingPathComponent("my-\(name)") }
        }
        #expect(plain.config.name == "plain" && plain.directoryURL.lastPathComponent.hasPrefix("my-"))
        let file = plain.cacheFileURL(forKey: "key")
        #expect(file.lastPathComponent == "key.bin")
        try plain.store(value: Data([1, 2, 3]), forKey: "key", writeOptions: .atomic)
        #expect(try Data(contentsOf: file) == Data([1, 2, 3]))

        let hashed: DiskStorage.Backend<Data> = try diskStorage("hashed") { config in
            config.autoExtAfterHashedFileName = true
        }
        let name = hashed.cacheFileURL(forKey: "http://example.com/photo.jpg").lastPathComponent
        #expect(name.hasSuffix(".jpg") && name.count == 68)
        #expect(hashed.cacheFileURL(forKey: "hello").lastPathComponent.hasPrefix("2cf24dba"))
    }

    @Test("Expired values and, above the size limit, the oldest ones are removed")
    func removes() throws {
        let storage: DiskStorage.Backend<Data> = try diskStorage("small", sizeLimit: 5)
        for number in 1...10 { try storage.store(value: Data([1]), forKey: "\(number)") }
        let before = try storage.totalSize()
        let removed = try storage.removeSizeExceededValues()
        let after = try storage.totalSize()
        #expect(after <= 5 && after > 0 && before - after == UInt(removed.count))

        try storage.removeAll()
        try storage.store(value: Data([1]), forKey: "fresh")
        try storage.store(value: Data([1]), forKey: "stale")
        _ = try storage.value(forKey: "stale", extendingExpiration: .expirationTime(.expired))
        #expect(try storage.removeExpiredValues().count == 1)
        #expect(storage.isCached(forKey: "fresh") && !storage.isCached(forKey: "stale"))
    }

    @Test("A memory storage limits custom values by cost and count")
    func memory() {
        let storage = MemoryStorage.Backend<Chapter>(config: MemoryStorage.Config(totalCostLimit: 100))
        storage.store(value: Chapter(pages: 40), forKey: "one")
        storage.store(value: Chapter(pages: 50), forKey: "two", expiration: .expired)
        #expect(storage.isCached(forKey: "one") && storage.value(forKey: "two") == nil)
        storage.removeExpired()
        #expect(storage.totalCacheCost() == 40)
        storage.config.countLimit = 1
        storage.store(value: Chapter(pages: 10), forKey: "three")
        #expect(["one", "three"].filter { storage.isCached(forKey: $0) }.count == 1)
        storage.remove(forKey: "three")
        storage.removeAll()
        #expect(storage.totalCacheCost() == 0 && !storage.isCached(forKey: "one"))
    }

    @Test("A cache can be made of two custom storages")
    func cache() async throws {
        var memory = MemoryStorage.Config(totalCostLimit: 1 << 20, cleanInterval: 10)
        memory.expiration = .seconds(60)
        let backend = MemoryStorage.Backend<KFCrossPlatformImage>(config: memory)
        let disk: DiskStorage.Backend<Data> = try diskStorage("images") { $0.pathExtension = "pic" }
        let cache = ImageCache(memoryStorage: backend, diskStorage: disk)
        let value = try await box.manager.retrieveImage(
            with: box.url("PNG/rgb8.png"), options: [.targetCache(cache), .waitForCache])
        #expect(backend.value(forKey: value.source.cacheKey) === value.image)
        #expect(cache.cachePath(forKey: value.source.cacheKey).hasSuffix(".pic"))
        #expect(try disk.value(forKey: value.source.cacheKey)?.isEmpty == false)
    }

    @Test("A read extends the expiration as requested")
    func extending() throws {
        let storage = MemoryStorage.Backend<Chapter>(config: .init(totalCostLimit: 100))
        storage.store(value: Chapter(pages: 1), forKey: "one", expiration: .date(.distantFuture))
        #expect(storage.value(forKey: "one", extendingExpiration: .none) != nil)
        #expect(storage.value(forKey: "one", extendingExpiration: .expirationTime(.seconds(-1))) != nil)
        #expect(storage.value(forKey: "one") == nil)
    }
}
