public import Foundation
import KingfisherConcurrency
import KingfisherStorage

/// A cache of images in memory and on disk.
///
/// Safe from any thread. Memory is read and written synchronously. The disk is read and written on queues of
/// the cache, in order for each key. The disk has one file for each image, encoded by the serializer, in a
/// folder that several processes may use. Under memory pressure a cache releases memory.
///
/// A subclass may override the `open` methods. A manager then calls these methods, as the original library
/// does: `imageCachedType` and `retrieveImage` for each request, and `store` and `storeToDisk` for loaded
/// images. Requests to a subclass do not share disk reads.
// Unchecked, because it is open: all stored properties are constants of sendable types, and subclasses must
// also be sendable.
open class ImageCache: @unchecked Sendable {
    /// The cache of requests that name none. Its name is "default".
    public static let `default` = ImageCache(name: "default")

    /// Selects a cache's folder from a base folder and the cache's folder name.
    public typealias DiskCachePathClosure = @Sendable (URL, String) -> URL

    /// The images in memory.
    public final let memoryStorage: MemoryStorage.Backend<KFCrossPlatformImage>
    /// The files on disk.
    public final let diskStorage: DiskStorage.Backend<Data>
    /// Makes files for response bodies that may be stored here.
    final var bodies: BodyFolder { diskStorage.engine.bodies }
    /// The files that `KingfisherManager.retrieveData` has delivered, in memory; at most 64 MiB unless its
    /// `config` sets another limit. Removing images from memory and clearing the disk also remove them.
    public final let encodedStorage: MemoryStorage.Backend<EncodedImage>

    final let diskQueue: KeyedQueue
    final let completions: CompletionQueue
    final let relief: MemoryRelief
    final let traffic: DiskTraffic
    final let insertions = ChangeCounter()
    final let shared = SharedWork()
    final let recreatedImages = RecreatedImages()
    final let notes = ImageAnnotations()
    final let reduced = ReducedImages()
    final let failures = Locked(FailureTable())
    final let removals = RemovalHistory()

    /// The disk limit in bytes of a cache that is made by name.
    static let defaultDiskLimit: UInt = 1 << 30

    /// Makes a cache of two storages.
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

    /// Makes a cache in the user's caches folder, limited to 1 GiB of disk and a quarter of the memory of the
    /// machine or container.
    ///
    /// Never fails. If the folder cannot be created, every call of `diskStorage` throws
    /// `diskStorageIsNotReady`. The name must not be empty; "default" is the name of `ImageCache.default`.
    public convenience init(name: String) {
        self.init(
            memoryStorage: Self.makeMemoryStorage(),
            diskStorage: DiskStorage.Backend(
                readyWhenPossible: Self.makeDiskConfig(name: name, directory: nil, pathClosure: nil)))
    }

    /// Makes a cache in `cacheDirectoryURL`, or in the folder that `diskCachePathClosure` selects.
    ///
    /// Throws `cannotCreateDirectory` with the folder's full path if the folder cannot be created.
    public convenience init(
        name: String, cacheDirectoryURL: URL?, diskCachePathClosure: DiskCachePathClosure? = nil
    ) throws {
        self.init(
            memoryStorage: Self.makeMemoryStorage(),
            diskStorage: try DiskStorage.Backend(
                config: Self.makeDiskConfig(
                    name: name, directory: cacheDirectoryURL, pathClosure: diskCachePathClosure)))
    }

    /// Stores `image` in memory synchronously and, unless `toDisk` is false, on disk asynchronously.
    ///
    /// The completion handler runs on the options' callback queue, after the write if there is one.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: KingfisherParsedOptionsInfo, toDisk: Bool = true,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        storeInCaches(
            image, original: original, forKey: key, options: options, toDisk: toDisk,
            completionHandler: completionHandler)
    }

    /// Stores `image` in memory synchronously and, unless `toDisk` is false, on disk asynchronously.
    ///
    /// The completion handler runs on a private serial queue unless `callbackQueue` names another.
    open func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        cacheSerializer serializer: any CacheSerializer = DefaultCacheSerializer.default, toDisk: Bool = true,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        var options = KingfisherParsedOptionsInfo(nil)
        options.change { values in
            values.givenProcessor = IdentifierOnlyProcessor(identifier: identifier)
            values.cacheSerializer = serializer
            values.forcedExtension = forcedExtension
            values.callbackQueue = callbackQueue
        }
        store(
            image, original: original, forKey: key, options: options, toDisk: toDisk,
            completionHandler: completionHandler)
    }

    /// Stores `data` on disk unchanged.
    ///
    /// A manager calls this for originals and files of live photos. An override must call `super` before it
    /// returns, or else the original of a local file has no version: it is used after the file has changed,
    /// until it expires.
    open func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "",
        forcedExtension: String? = nil, expiration: StorageExpiration? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        let computedKey = key.computedKey(with: identifier)
        storeToDisk(
            data, forComputedKey: computedKey, forcedExtension: forcedExtension, expiration: expiration,
            callbackQueue: callbackQueue, freshness: HandedVersion.freshness(forComputedKey: computedKey),
            completionHandler: completionHandler)
    }

    /// Removes an image, from memory synchronously and from disk asynchronously. Errors are ignored.
    ///
    /// Removing it from memory also removes a failure of its source that requests remember
    /// (``NegativeCaching``); removing it from disk also removes the bytes of an interrupted download whose
    /// URL is the key (`.resumable`).
    open func removeImage(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil,
        fromMemory: Bool = true, fromDisk: Bool = true, callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable () -> Void)? = nil
    ) {
        if fromMemory { forgetFailure(forKey: key, processorIdentifier: identifier) }
        remove(
            forComputedKey: key.computedKey(with: identifier), forcedExtension: forcedExtension,
            interruptedURL: key, fromMemory: fromMemory, fromDisk: fromDisk, callbackQueue: callbackQueue
        ) { _ in completionHandler?() }
    }

    /// Looks up an image in memory, then on disk; an image found on disk is stored in memory.
    ///
    /// The result is `.none` if there is no image. The memory is read before the call returns; with
    /// `loadDiskFileSynchronously`, so is the disk. The completion handler runs on `callbackQueue`.
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

    /// Looks up an image in memory, then on disk; an image found on disk is stored in memory.
    open func retrieveImage(
        forKey key: String, options: KingfisherOptionsInfo? = nil,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        retrieveImage(
            forKey: key, options: KingfisherParsedOptionsInfo(options), callbackQueue: callbackQueue,
            completionHandler: completionHandler)
    }

    /// Looks up an image in memory, on the caller's thread; nil if no image is found.
    open func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        imageInMemory(forKey: key, options: options)
    }

    /// Looks up an image in memory, on the caller's thread; nil if no image is found.
    open func retrieveImageInMemoryCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil
    ) -> KFCrossPlatformImage? {
        retrieveImageInMemoryCache(forKey: key, options: KingfisherParsedOptionsInfo(options))
    }

    /// Looks up an image on disk only, and does not store it in memory.
    open func retrieveImageInDiskCache(
        forKey key: String, options: KingfisherOptionsInfo? = nil, callbackQueue: CallbackQueue = .untouch,
        completionHandler: @escaping @Sendable (Result<KFCrossPlatformImage?, KingfisherError>) -> Void
    ) {
        let options = KingfisherParsedOptionsInfo(options)
        if options.readsDiskOnCallersThread {
            let result = imageOnDisk(key, options: options)
            return callbackQueue.execute { completionHandler(result) }
        }
        diskQueue.run(key: key.computedKey(with: options.processor.identifier)) { [self] in
            let result = imageOnDisk(key, options: options)
            completions.run(on: callbackQueue) { completionHandler(result) }
        }
    }

    /// The cache that has the image: memory, or else the disk. Reads the disk on the caller's thread. Does
    /// not move the expiration.
    open func imageCachedType(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> CacheType {
        let computedKey = key.computedKey(with: identifier)
        if memoryStorage.isCached(forKey: computedKey) { return .memory }
        if diskStorage.isCached(forKey: computedKey, forcedExtension: forcedExtension) { return .disk }
        return .none
    }

    /// Determines which cache has the image. Memory is read on the caller's thread, the disk on a queue of
    /// the cache.
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

    /// The path of the image's file, whether it exists or not.
    open func cachePath(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> String {
        fileURL(key, identifier, forcedExtension).path
    }

    /// The image's file; nil if it does not exist. Reads the disk on the caller's thread.
    open func cacheFileURLIfOnDisk(
        forKey key: String, processorIdentifier identifier: String = DefaultImageProcessor.default.identifier,
        forcedExtension: String? = nil
    ) -> URL? {
        let isOnDisk = diskStorage.isCached(
            forKey: key.computedKey(with: identifier), forcedExtension: forcedExtension)
        return isOnDisk ? fileURL(key, identifier, forcedExtension) : nil
    }

    /// Computes the number of bytes of all files in the background; completes on the main queue.
    open func calculateDiskStorageSize(
        completion handler: @escaping @Sendable (Result<UInt, KingfisherError>) -> Void
    ) {
        measureDisk { result in CallbackQueue.mainAsync.execute { handler(result) } }
    }

    /// Removes all files; completes on the main queue. Errors are ignored.
    open func clearDiskCache(completion handler: (@Sendable () -> Void)? = nil) {
        clearDisk { if let handler { CallbackQueue.mainAsync.execute(handler) } }
    }

    /// Removes expired images from memory and disk; completes on the main queue.
    open func cleanExpiredCache(completion handler: (@Sendable () -> Void)? = nil) {
        cleanExpiredMemoryCache()
        cleanExpiredDiskCache(completion: handler)
    }

    /// Removes expired images from memory.
    open func cleanExpiredMemoryCache() {
        memoryStorage.removeExpired()
        encodedStorage.removeExpired()
    }

    /// Removes expired files. If the rest exceeds the size limit, also removes the least recently used files,
    /// down to half of the limit.
    ///
    /// Posts `KingfisherDidCleanDiskCache` if a file was removed; completes on the main queue.
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
        precondition(!name.isEmpty, "The name of a cache must not be empty: it names the cache's folder.")
        var config = DiskStorage.Config(name: name, sizeLimit: defaultDiskLimit, directory: directory)
        if let pathClosure { config.cachePathBlock = pathClosure }
        return config
    }
}

extension String {
    func computedKey(with identifier: String) -> String {
        identifier.isEmpty ? self : "\(self)@\(identifier)"
    }
}
