public import Foundation
import KingfisherConcurrency

/// Keeps images in memory and on disk.
///
/// Every method may be called from any thread. Memory is answered at once; the disk is read and written on
/// queues of the cache's own, in order for each key. The disk keeps one file per image, whose bytes are
/// what the serializer made, in a folder that may be shared by processes. Under memory pressure a cache gives
/// memory back by itself.
///
/// A subclass may override what is `open`; a manager then asks it by these methods, as the original library
/// does: `imageCachedType` and `retrieveImage` for each request, `store` and `storeToDisk` for what was
/// loaded. Such requests read the disk one by one: only those of a cache that is no subclass share a look at
/// it.
// Unchecked: all stored properties are constants of sendable types; a subclass says the same of its own.
open class ImageCache: @unchecked Sendable {
    /// The cache of requests that name none; called "default".
    public static let `default` = ImageCache(name: "default")

    /// Chooses a cache's folder from a base folder and the cache's folder name.
    public typealias DiskCachePathClosure = @Sendable (URL, String) -> URL

    /// The part in memory.
    public final let memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>
    /// The part on disk.
    public final let diskStorage: DiskStorage.Backend<Data>
    /// The files that `KingfisherManager.retrieveData` has delivered, in memory: 64 MiB of them unless its
    /// `config` says otherwise. What removes images from memory, or clears the disk, removes them.
    public final let encodedStorage: MemoryStorage.Backend<EncodedImage>

    /// Where files are read, written and removed.
    final let diskQueue: KeyedQueue
    final let completions: CompletionQueue
    final let relief: MemoryRelief
    final let traffic: DiskTraffic
    /// Counts the images that come into the cache.
    final let arrivals = ChangeCounter()
    /// What requests do together.
    final let shared = SharedWork()
    final let recreatedImages = RecreatedImages()
    final let notes = ImageNotes()

    /// Bytes that a cache made by name keeps on disk; the storage's own default is no limit.
    static let defaultDiskLimit: UInt = 1 << 30

    /// Joins two storages.
    public init(
        memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>, diskStorage: DiskStorage.Backend<Data>
    ) {
        self.memoryStorage = memoryStorage
        self.diskStorage = diskStorage
        let label = "com.onevcat.Kingfisher.ImageCache.\(diskStorage.config.name)"
        diskQueue = KeyedQueue(label: "\(label).disk")
        completions = CompletionQueue(label: "\(label).completions")
        traffic = DiskTraffic(queue: diskQueue, folder: diskStorage.directoryURL)
        encodedStorage = MemoryStorage.Backend(config: .init(totalCostLimit: Self.defaultEncodedLimit))
        relief = MemoryRelief(memoryStorage, encodedStorage)
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

    /// Stores `image` in memory at once, and on disk soon after unless `toDisk` is false.
    ///
    /// The completion runs on the options' callback queue after the write, or without one when nothing is
    /// written.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: KingfisherParsedOptionsInfo, toDisk: Bool = true,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        keep(
            image, original: original, forKey: key, options: options, toDisk: toDisk,
            completionHandler: completionHandler)
    }

    /// Stores `image` in memory at once, and on disk soon after unless `toDisk` is false.
    ///
    /// The completion runs on a private serial queue unless `callbackQueue` names another.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default, toDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        var options = KingfisherParsedOptionsInfo(nil)
        options.change { groups in
            groups.decode.givenProcessor = IdentifierOnlyProcessor(identifier: identifier)
            groups.cache.cacheSerializer = serializer
            groups.cache.forcedExtension = forcedExtension
            groups.delivery.callbackQueue = callbackQueue
        }
        store(
            image, original: original, forKey: key, options: options, toDisk: toDisk,
            completionHandler: completionHandler)
    }

    /// Stores `data` on disk as they are.
    open func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "",
        forcedExtension: String? = nil, expiration: StorageExpiration? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        storeToDisk(
            data, forComputedKey: key.computedKey(with: identifier), forcedExtension: forcedExtension,
            expiration: expiration, callbackQueue: callbackQueue, completionHandler: completionHandler)
    }

    /// Removes an image: from memory at once, from disk soon after. Errors are ignored.
    open func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        remove(
            forComputedKey: key.computedKey(with: identifier), forcedExtension: forcedExtension,
            fromMemory: fromMemory, fromDisk: fromDisk, callbackQueue: callbackQueue
        ) { _ in completionHandler?() }
    }

    /// Looks an image up in memory, then on disk; an image found on disk is put into memory first.
    ///
    /// Nothing found is a success with `.none`. A hit in memory is answered through `callbackQueue` before
    /// the call returns where that queue allows it. With `loadDiskFileSynchronously` the disk is, too.
    open func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        guard let completionHandler else { return }
        if let image = retrieveImageInMemoryCache(forKey: key, options: options) {
            return callbackQueue.execute { completionHandler(.success(.memory(image))) }
        }
        if options.fromMemoryCacheOrRefresh {
            return callbackQueue.execute { completionHandler(.success(.none)) }
        }
        if options.readsDiskOnCallersThread {
            let result = promoteFromDisk(key, options: options)
            return callbackQueue.execute { completionHandler(result) }
        }
        diskQueue.run(key: key.computedKey(with: options.processor.identifier)) { [self] in
            let result = promoteFromDisk(key, options: options)
            completions.run(on: callbackQueue) { completionHandler(result) }
        }
    }

    /// Looks an image up in memory, then on disk; an image found on disk is put into memory first.
    open func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        retrieveImage(
            forKey: key, options: KingfisherParsedOptionsInfo(options), callbackQueue: callbackQueue,
            completionHandler: completionHandler)
    }

    /// The image in memory, on the caller's thread; nil when there is none.
    open func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        imageInMemory(forKey: key, options: options)
    }

    /// The image in memory, on the caller's thread; nil when there is none.
    open func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        retrieveImageInMemoryCache(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks an image up on disk only, and leaves memory as it is.
    open func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        let options = KingfisherParsedOptionsInfo(options)
        if options.readsDiskOnCallersThread {
            let result = imageOnDisk(key, options: options, isCurrent: nil)
            return callbackQueue.execute { completionHandler(result) }
        }
        diskQueue.run(key: key.computedKey(with: options.processor.identifier)) { [self] in
            let result = imageOnDisk(key, options: options, isCurrent: nil)
            completions.run(on: callbackQueue) { completionHandler(result) }
        }
    }

    /// Where the image is; memory is asked first. Reads the disk on the caller's thread; extends nothing.
    open func imageCachedType(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> CacheType {
        let computedKey = key.computedKey(with: identifier)
        if memoryStorage.isCached(forKey: computedKey) { return .memory }
        if diskStorage.isCached(forKey: computedKey, forcedExtension: forcedExtension) { return .disk }
        return .none
    }

    /// Where the image is; memory is answered at once, the disk is read off the caller's thread.
    open func imageCachedTypeAsync(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil, callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: @escaping @Sendable (CacheType) -> Void
    ) {
        let computedKey = key.computedKey(with: identifier)
        if !isSubclass, memoryStorage.isCached(forKey: computedKey) {
            return callbackQueue.execute { completionHandler(.memory) }
        }
        diskQueue.run(key: computedKey) { [self] in
            let type = imageCachedType(
                forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
            completions.run(on: callbackQueue) { completionHandler(type) }
        }
    }

    /// The name of the image's file.
    open func hash(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        fileURL(key, identifier, forcedExtension).lastPathComponent
    }

    /// The path of the image's file, whether it is there or not.
    open func cachePath(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        fileURL(key, identifier, forcedExtension).path
    }

    /// The image's file; nil when it is not there. Reads the disk on the caller's thread.
    open func cacheFileURLIfOnDisk(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> URL? {
        let isOnDisk = diskStorage.isCached(
            forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
        return isOnDisk ? fileURL(key, identifier, forcedExtension) : nil
    }

    /// Adds up the files' bytes off the caller's thread; completes on the main queue.
    open func calculateDiskStorageSize(
        completion handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void
    ) {
        measureDisk { result in CallbackQueue.mainAsync.execute { handler(result) } }
    }

    /// Empties the disk; completes on the main queue. Errors are ignored.
    open func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearDisk { if let handler { CallbackQueue.mainAsync.execute(handler) } }
    }

    /// Removes what has expired; completes on the main queue.
    open func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanExpiredMemoryCache()
        cleanExpiredDiskCache(completion: handler)
    }

    /// Removes what has expired from memory.
    open func cleanExpiredMemoryCache() {
        memoryStorage.removeExpired()
        encodedStorage.removeExpired()
    }

    /// Removes expired files, then, above the size limit, the least recently used down to half of it.
    ///
    /// Posts `KingfisherDidCleanDiskCache` when something was removed; completes on the main queue.
    open func cleanExpiredDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanDisk { if let handler { CallbackQueue.mainAsync.execute(handler) } }
    }
}

extension ImageCache {
    fileprivate static func makeMemoryStorage() -> MemoryStorage.Backend<KFCrossPlatformImage> {
        MemoryStorage.Backend(
            config: MemoryStorage.Config(totalCostLimit: MemoryBudget.current.share(oneIn: 4)))
    }

    fileprivate static func makeDiskConfig(
        name: String, directory: URL?, pathClosure: DiskCachePathClosure?
    ) -> DiskStorage.Config {
        precondition(!name.isEmpty, "A cache needs a name: its folder is called after it.")
        var config = DiskStorage.Config(name: name, sizeLimit: defaultDiskLimit, directory: directory)
        if let pathClosure { config.cachePathBlock = pathClosure }
        return config
    }
}

extension String {
    /// The key of an image that a processor made of this source's.
    func computedKey(with identifier: String) -> String {
        identifier.isEmpty ? self : "\(self)@\(identifier)"
    }
}
