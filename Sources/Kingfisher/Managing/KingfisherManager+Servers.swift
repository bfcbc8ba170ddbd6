import Dispatch
import Foundation
import FoundationNetworking

extension KingfisherManager {
    /// Makes a manager for servers, which load URLs given by strangers and have no main queue to wait for.
    ///
    /// - It connects to public addresses only (``ImageDownloader/addressPolicy``) and uses no proxy.
    /// - A file URL is not read from this machine; it fails like any other URL that is not http or https.
    ///   That holds for pictures and the files of live photos, for sources made by `convertToSource()`, and
    ///   for prefetchers and other managers that use this one's downloader. A provider that the program
    ///   makes itself is its own business.
    /// - A body may have 16 MB, a download take 20 seconds in all, and a server be silent for 10.
    /// - It keeps no cookies: those of one stranger's request would go along with another's.
    /// - Pictures are decoded and processed in parallel, on as many threads as there are cores.
    /// - Completion handlers run on a concurrent queue in the background, the callers' options permitting.
    ///
    /// Options of a request that name another downloader or other queues prevail. Make one manager and keep
    /// it: each has a memory cache of its own unless one is given. An `ImagePrefetcher` for it needs its
    /// downloader and cache among the options (`downloader`, `targetCache`); without, it uses the default
    /// ones, which promise nothing of this.
    ///
    /// - Parameter cache: Where pictures are kept; by default a cache called "server" in the user's caches
    ///   folder, whose files programs of the same user share.
    public static func forServers(cache: ImageCache = ImageCache(name: "server")) -> KingfisherManager {
        let downloader = ImageDownloader(name: "server", readsFileURLs: false)
        downloader.addressPolicy = .publicOnly
        downloader.maxBodyBytes = 16 << 20
        downloader.downloadTimeout = 10
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 20
        configuration.httpCookieStorage = nil
        downloader.sessionConfiguration = configuration

        let manager = KingfisherManager(downloader: downloader, cache: cache)
        let processing = OperationQueue()
        processing.name = "com.onevcat.Kingfisher.server.processing"
        processing.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
        let callbacks = DispatchQueue(
            label: "com.onevcat.Kingfisher.server.callbacks", attributes: .concurrent)
        manager.defaultOptions = [
            .processingQueue(.operationQueue(processing)), .callbackQueue(.dispatch(callbacks)),
        ]
        return manager
    }
}
