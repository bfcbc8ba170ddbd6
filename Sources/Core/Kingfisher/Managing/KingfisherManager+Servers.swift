import Dispatch
import Foundation
import FoundationNetworking
public import KingfisherImage
public import KingfisherTransport
import Synchronization

extension KingfisherManager {
    /// The default memory budget of servers in bytes: an eighth of the machine's memory, or of the control
    /// group's limit if that is lower, but at most 256 MiB.
    public static var serverMemoryBudget: Int { min(MemoryBudget.current.share(oneIn: 8), 256 << 20) }

    /// The image limits of a manager for servers: 1,000 million pixels for an animation and 4 MiB for
    /// metadata, or the process's limits if those are lower now.
    ///
    /// All other limits are the limits of the process. The memory budget bounds the memory of an image.
    public static var serverImageLimits: ImageLimits {
        ImageLimits(
            maximumPixels: ImageLimits.maximumPixels,
            maximumFrames: ImageLimits.maximumFrames,
            maximumAnimationPixels: min(ImageLimits.maximumAnimationPixels, 1_000_000_000),
            maximumFrameBytes: ImageLimits.maximumFrameBytes,
            maximumMetadataBytes: min(ImageLimits.maximumMetadataBytes, 4 << 20))
    }

    /// Makes a manager for servers, which load untrusted URLs and have no main queue.
    ///
    /// - The manager connects to public addresses only (``ImageDownloader/addressPolicy``) and uses no proxy.
    /// - It does not read file and data URLs; they fail like any other URL that is not http or https. This
    ///   applies to images and the files of live photos, to sources made by `convertToSource()`, and to
    ///   prefetchers and other managers that use this manager's downloader. It does not apply to providers
    ///   that the program makes.
    /// - A body has at most 16 MiB, a download takes at most 20 seconds, and the idle timeout is 10 seconds.
    /// - It stores no cookies and remembers no credentials (``ImageDownloader/remembersCredentials``),
    ///   because credentials of one client must not be sent for another.
    /// - Images are decoded and processed in parallel, on as many threads as there are cores, each image by
    ///   one thread.
    /// - Images have the limits ``serverImageLimits``, through a `DecodingContext` in the default options.
    /// - Requests share a memory budget (``KingfisherManager/memoryBudget``); at most 1,024 requests wait for
    ///   it.
    /// - Sources that have no image are remembered for about a minute (``NegativeCaching``).
    /// - Completion handlers run on a concurrent background queue, unless a request's options name a queue.
    ///
    /// The options of a request override the downloader and the queues. Make one manager and reuse it: unless
    /// you pass a cache, each manager has a separate memory cache. An `ImagePrefetcher` uses the manager if
    /// its options contain `.manager`; otherwise it uses the default downloader and cache, without these
    /// restrictions.
    ///
    /// - Parameters:
    ///   - cache: Where images are stored. The default is a cache named "server" in the user's caches folder.
    ///     Programs of the same user share its files.
    ///   - memoryBudget: Bytes for bodies and decoding. The default is ``serverMemoryBudget``.
    ///   - transport: Sends each hop of a download, and may refuse it by its URL; nil for libcurl.
    public static func forServers(
        cache: ImageCache = ImageCache(name: "server"), memoryBudget: Int = serverMemoryBudget,
        transport: (any Transport)? = nil
    ) -> KingfisherManager {
        let downloader =
            transport.map { ImageDownloader(name: "server", transport: $0) }
            ?? ImageDownloader(name: "server")
        downloader.settings.withLock { $0.readsFileURLs = false }
        downloader.addressPolicy = .publicOnly
        downloader.maxBodyBytes = 16 << 20
        downloader.downloadTimeout = 10
        downloader.remembersCredentials = false
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 20
        configuration.httpCookieStorage = nil
        downloader.sessionConfiguration = configuration

        let manager = KingfisherManager(downloader: downloader, cache: cache)
        manager.memoryBudget = memoryBudget
        let processing = OperationQueue()
        processing.name = "com.onevcat.Kingfisher.server.processing"
        processing.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
        // Not the default class: Swift runs tasks on its threads, one for each core, and decoding on all of
        // them would delay every task of the process.
        processing.qualityOfService = .utility
        let callbacks = DispatchQueue(
            label: "com.onevcat.Kingfisher.server.callbacks", attributes: .concurrent)
        manager.defaultOptions = [
            .processingQueue(.operationQueue(processing)), .callbackQueue(.dispatch(callbacks)),
            .decodingContext(DecodingContext(limits: serverImageLimits, usesIdleCores: false)),
            .negativeCaching(NegativeCaching()),
        ]
        return manager
    }
}
