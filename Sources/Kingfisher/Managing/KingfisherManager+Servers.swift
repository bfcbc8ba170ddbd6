import Dispatch
import Foundation
import FoundationNetworking
public import KingfisherImage
import Synchronization

extension KingfisherManager {
    /// The memory budget of servers in bytes: an eighth of the machine's memory, or of the control group's
    /// limit where that is lower, and 256 MiB at most.
    public static var serverMemoryBudget: Int { min(MemoryBudget.current.share(oneIn: 8), 256 << 20) }

    /// The limits of images in a manager for servers: 1,000 million pixels of an animation and 4 MiB of
    /// metadata; those of the process for the rest, and where they are lower now. What an image may hold is
    /// bounded by the memory budget.
    public static var serverImageLimits: ImageLimits {
        ImageLimits(
            maximumPixels: ImageLimits.maximumPixels,
            maximumFrames: ImageLimits.maximumFrames,
            maximumAnimationPixels: min(ImageLimits.maximumAnimationPixels, 1_000_000_000),
            maximumFrameBytes: ImageLimits.maximumFrameBytes,
            maximumMetadataBytes: min(ImageLimits.maximumMetadataBytes, 4 << 20))
    }

    /// Makes a manager for servers, which load URLs given by strangers and have no main queue to wait for.
    ///
    /// - It connects to public addresses only (``ImageDownloader/addressPolicy``) and uses no proxy.
    /// - A file URL is not read from this machine; it fails like any other URL that is not http or https.
    ///   That holds for images and the files of live photos, for sources made by `convertToSource()`, and
    ///   for prefetchers and other managers that use this one's downloader. A provider that the program
    ///   makes itself is its own business.
    /// - A body may have 16 MB, a download take 20 seconds in all, and a server be silent for 10.
    /// - It keeps no cookies: those of one stranger's request would go along with another's.
    /// - Images are decoded and processed in parallel, on as many threads as there are cores.
    /// - Images have limits of their own (``serverImageLimits``), by a `DecodingContext` among
    ///   the default options.
    /// - Requests share a memory budget, see ``KingfisherManager/memoryBudget``; 1,024 of them may wait for
    ///   it.
    /// - Completion handlers run on a concurrent queue in the background, the callers' options permitting.
    ///
    /// Options of a request that name another downloader or other queues prevail. Make one manager and keep
    /// it: each has a memory cache of its own unless one is given. An `ImagePrefetcher` uses it by the option
    /// `.manager`; without, it uses the default downloader and cache, which promise nothing of this.
    ///
    /// - Parameters:
    ///   - cache: Where images are stored; by default a cache called "server" in the user's caches folder,
    ///     whose files programs of the same user share.
    ///   - memoryBudget: Bytes for bodies and decoding; by default ``serverMemoryBudget``.
    public static func forServers(
        cache: ImageCache = ImageCache(name: "server"), memoryBudget: Int = serverMemoryBudget
    ) -> KingfisherManager {
        let downloader = ImageDownloader(name: "server")
        downloader.settings.withLock { $0.readsFileURLs = false }
        downloader.addressPolicy = .publicOnly
        downloader.maxBodyBytes = 16 << 20
        downloader.downloadTimeout = 10
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 20
        configuration.httpCookieStorage = nil
        downloader.sessionConfiguration = configuration

        let manager = KingfisherManager(downloader: downloader, cache: cache)
        manager.memoryBudget = memoryBudget
        let processing = OperationQueue()
        processing.name = "com.onevcat.Kingfisher.server.processing"
        processing.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
        // Threads of its own class: those of the default one are Swift's for tasks, as many as there are
        // cores, and decoding on all of them would hold up every task of the process.
        processing.qualityOfService = .utility
        let callbacks = DispatchQueue(
            label: "com.onevcat.Kingfisher.server.callbacks", attributes: .concurrent)
        manager.defaultOptions = [
            .processingQueue(.operationQueue(processing)), .callbackQueue(.dispatch(callbacks)),
            .decodingContext(DecodingContext(limits: serverImageLimits)),
        ]
        return manager
    }
}
