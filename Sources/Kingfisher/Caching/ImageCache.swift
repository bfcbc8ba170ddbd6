public import Foundation

/// Keeps pictures in memory and on disk.
///
/// Every method may be called from any thread. Memory is answered at once; the disk is read and written on
/// queues of the cache's own, in order for each key. The disk keeps one file per picture, whose bytes are
/// what the serializer made, in a folder that may be shared by processes. Under memory pressure a cache gives
/// memory back by itself.
public final class ImageCache: Sendable {
    /// The cache of requests that name none; called "default".
    public static let `default` = ImageCache(name: "default")

    /// Chooses a cache's folder from a base folder and the cache's folder name.
    public typealias DiskCachePathClosure = @Sendable (URL, String) -> URL

    /// The part in memory.
    public let memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>
    /// The part on disk.
    public let diskStorage: DiskStorage.Backend<Data>

    let lanes: DiskLanes
    let relief: MemoryRelief
    let traffic = DiskTraffic()
    let reads = SharedWork<DiskReading, DiskFinding>(unlanded: .nothing)
    let originals = SharedWork<OriginalIdentity, Material?>(unlanded: nil)
    let supplies = SharedWork<ProviderIdentity, Result<Material, any Error>>(
        unlanded: .failure(UnansweredProvider()))
    let recreatedPictures = RecreatedPictures()
    let ledger = FreshnessLedger()

    /// Bytes that a cache made by name keeps on disk; the storage's own default is no limit.
    static let defaultDiskLimit: UInt = 1 << 30

    /// Joins two storages.
    public init(
        memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>, diskStorage: DiskStorage.Backend<Data>
    ) {
        self.memoryStorage = memoryStorage
        self.diskStorage = diskStorage
        lanes = DiskLanes(label: "com.onevcat.Kingfisher.ImageCache.\(diskStorage.config.name)")
        relief = MemoryRelief(memoryStorage)
        MemoryPressure.register(relief)
    }

    /// Makes a cache in the user's caches folder, limited to 1 GiB of disk and a quarter of memory: of the
    /// machine's, or of a container's limit.
    ///
    /// Never fails: when the folder cannot be created, the disk part answers every call with
    /// `diskStorageIsNotReady`. The name must not be empty; "default" is taken by `ImageCache.default`.
    public convenience init(name: String) {
        self.init(
            memoryStorage: Self.makeMemoryStorage(),
            diskStorage: DiskStorage.Backend(
                readyWhenPossible: Self.makeDiskConfig(name: name, directory: nil, pathClosure: nil)))
    }

    /// Makes a cache below `cacheDirectoryURL`, or where `diskCachePathClosure` says.
    ///
    /// Throws `cannotCreateDirectory` with the folder's full path.
    public convenience init(
        name: String, cacheDirectoryURL: URL?, diskCachePathClosure: DiskCachePathClosure? = nil
    ) throws {
        self.init(
            memoryStorage: Self.makeMemoryStorage(),
            diskStorage: try DiskStorage.Backend(
                config: Self.makeDiskConfig(
                    name: name, directory: cacheDirectoryURL, pathClosure: diskCachePathClosure)))
    }

    private static func makeMemoryStorage() -> MemoryStorage.Backend<KFCrossPlatformImage> {
        MemoryStorage.Backend(
            config: MemoryStorage.Config(totalCostLimit: MemoryBudget.current.share(oneIn: 4)))
    }

    private static func makeDiskConfig(
        name: String, directory: URL?, pathClosure: DiskCachePathClosure?
    ) -> DiskStorage.Config {
        precondition(!name.isEmpty, "A cache needs a name: its folder is called after it.")
        var config = DiskStorage.Config(name: name, sizeLimit: defaultDiskLimit, directory: directory)
        if let pathClosure { config.cachePathBlock = pathClosure }
        return config
    }
}

extension String {
    /// The key of a picture that a processor made of this source's.
    func computedKey(with identifier: String) -> String {
        identifier.isEmpty ? self : "\(self)@\(identifier)"
    }
}
