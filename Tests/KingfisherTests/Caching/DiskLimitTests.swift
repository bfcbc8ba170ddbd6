import Foundation
import Kingfisher
import KingfisherStorage
import KingfisherTestSupport
import Synchronization
import Testing

/// Settings of the disk storage beyond C-26 to C-42.
struct DiskLimitTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()

    init() throws { folder = try TemporaryFolder() }

    private func storage(
        sizeLimit: UInt = 0, fileSystem: FileSystem = FileSystem(),
        _ change: (inout DiskStorage.Config) -> Void = { _ in }
    ) throws -> DiskStorage.Backend<Data> {
        var config = DiskStorage.Config(name: "limits", sizeLimit: sizeLimit, directory: folder.url)
        change(&config)
        return try DiskStorage.Backend(config: config, fileSystem: fileSystem, clock: clock)
    }

    private func cache(_ storage: DiskStorage.Backend<Data>) -> ImageCache {
        ImageCache(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 1 << 20)), diskStorage: storage
        )
    }

    @Test("The size limit is enforced in the background, and a lower limit applies without a store")
    func limitIsKept() async throws {
        let storage = try storage(sizeLimit: 2 << 20)
        let cache = cache(storage)
        for number in 0..<60 {
            try await cache.storeToDisk(Data(count: 64 << 10), forKey: "\(number)")
            clock.advance(by: 1)
        }
        // Up to 64 KiB above the limit remain until the next sweep (decision 041).
        #expect(await poll { (try? storage.totalSize()).map { $0 <= (2 << 20) + (64 << 10) } == true })
        #expect(storage.isCached(forKey: "59") && !storage.isCached(forKey: "0"))
        storage.config.sizeLimit = 1 << 20
        #expect(await poll { (try? storage.totalSize()).map { $0 <= (1 << 20) * 9 / 10 } == true })
        let statistics = cache.diskCacheStatistics()
        #expect(try storage.totalSize() == statistics.bytes)
        #expect(statistics.evictions == 60 - statistics.entries)
    }

    @Test("Statistics count hits, misses and dropped entries")
    func statistics() async throws {
        let storage = try storage()
        let cache = cache(storage)
        try await cache.storeToDisk(TestImages.png, forKey: "key")
        try await cache.storeToDisk(TestImages.png, forKey: "damaged")
        let path = cache.cachePath(forKey: "damaged")
        let before = try #require(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate])
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data([0]))
        try file.close()
        try FileManager.default.setAttributes([.modificationDate: before], ofItemAtPath: path)
        for key in ["key", "damaged", "absent"] { _ = try await cache.retrieveImageInDiskCache(forKey: key) }
        let statistics = cache.diskCacheStatistics()
        #expect(statistics.hits == 1 && statistics.misses == 2)
        #expect(statistics.corruptEntriesDropped == 1 && statistics.evictions == 0)
        let size = try TestImages.png.count
        #expect(statistics.entries == 1 && statistics.bytes == UInt(size))
    }

    @Test("Files are synced only if the settings say so, from the next store on")
    func durability() throws {
        let syncs = Mutex(0)
        let storage = try storage(
            fileSystem: FileSystem { call, _ in
                if call == .sync { syncs.withLock { $0 += 1 } }
                return 0
            })
        try storage.store(value: Data([1]), forKey: "a")
        #expect(syncs.withLock { $0 } == 0)
        storage.config.durability = .fsync
        try storage.store(value: Data([1]), forKey: "b")
        let above = try foldersAbove(storage.directoryURL)
        #expect(syncs.withLock { $0 } == 2 + above, "The file, its folder, and once the folders above")
        try storage.store(value: Data([1]), forKey: "c")
        #expect(syncs.withLock { $0 } == 4 + above)
        try storage.removeAll()
        try FileManager.default.removeItem(at: storage.directoryURL)
        try storage.store(value: Data([1]), forKey: "c")
        #expect(syncs.withLock { $0 } == 6 + 2 * above, "The folder was created again")
    }

    /// The number of folders above this one on the same file system.
    private func foldersAbove(_ folder: URL) throws -> Int {
        func device(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.systemNumber] as? Int
        }
        let own = try device(folder.path)
        var count = 0
        var above = folder.standardizedFileURL
        while above.path != "/" {
            above.deleteLastPathComponent()
            guard try device(above.path) == own else { break }
            count += 1
        }
        return count
    }

    @Test("Checksums are verified unless the settings disable it")
    func verification() throws {
        let storage = try storage { $0.verifiesChecksum = false }
        try storage.store(value: Data([1, 2, 3]), forKey: "key", expiration: .never)
        let file = try FileHandle(forUpdating: storage.cacheFileURL(forKey: "key"))
        try file.write(contentsOf: Data([9]))
        try file.close()
        try FileManager.default.setAttributes(
            [.modificationDate: clock.now + 1_000], ofItemAtPath: storage.cacheFileURL(forKey: "key").path)
        #expect(try storage.value(forKey: "key") == Data([9, 2, 3]))
        storage.config.verifiesChecksum = true
        #expect(try storage.value(forKey: "key") == nil)
    }
}
