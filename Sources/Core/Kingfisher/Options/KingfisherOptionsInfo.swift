public import Foundation

/// The options of a request. A later item overrides an earlier one of the same kind.
public typealias KingfisherOptionsInfo = [KingfisherOptionsInfoItem]

extension Array where Element == KingfisherOptionsInfoItem {
    static let empty: KingfisherOptionsInfo = []

    var manager: KingfisherManager? {
        reduce(nil) { manager, item in
            if case .manager(let named) = item { named } else { manager }
        }
    }
}

/// An option for how an image is loaded, processed, cached and delivered.
public enum KingfisherOptionsInfoItem: Sendable {
    /// The cache that is read and written; default the manager's (``KingfisherManager/cache``).
    case targetCache(ImageCache)
    /// The cache of unprocessed originals; default the target cache.
    case originalCache(ImageCache)
    /// The downloader; default the manager's (``KingfisherManager/downloader``).
    case downloader(ImageDownloader)
    /// How a view changes to an image that came from the network.
    case transition(ImageTransition)
    /// The priority of the download, from 0 to 1. Of the downloads that wait for a connection, the one with
    /// the highest priority starts first.
    ///
    /// Downloads of equal priority start in the order of their requests. A request that shares a running
    /// download does not change its priority. Setting `sessionTask.task.priority` of a waiting task moves it.
    /// Downloads of low priority wait as long as there are others of higher priority.
    case downloadPriority(Float)
    /// Ignore caches when reading; still write them.
    case forceRefresh
    /// Take an image from memory, or load it from its source; do not read the disk.
    case fromMemoryCacheOrRefresh
    /// Run the transition even if the image came from a cache.
    case forceTransition
    /// Write to memory only.
    case cacheMemoryOnly
    /// Complete only after the image is on disk.
    case waitForCache
    /// Never load from the source: neither download nor ask a provider. `forceRefresh` overrides it.
    case onlyFromCache
    /// Decode on a background queue before the image is delivered.
    ///
    /// Has no effect: images are always decoded in the background, except files on disk that
    /// `loadDiskFileSynchronously` reads, which are decoded on the caller's thread.
    case backgroundDecode
    /// Where completion handlers run; default `.mainCurrentOrAsync`.
    case callbackQueue(CallbackQueue)
    /// Pixels per point of decoded images.
    case scaleFactor(CGFloat)
    /// Decode all frames of an animation during the load.
    case preloadAllAnimationData
    /// Changes the request before it is sent.
    case requestModifier(any AsyncImageDownloadRequestModifier)
    /// Decides about redirects.
    case redirectHandler(any ImageDownloadRedirectHandler)
    /// Turns bytes into the image.
    case processor(any ImageProcessor)
    /// Turns the image into bytes for the disk and back.
    case cacheSerializer(any CacheSerializer)
    /// Changes the result before it is delivered; the cached image does not change.
    case imageModifier(any ImageModifier)
    /// Let a view show its current image until the new one is loaded. Only an empty view shows the
    /// placeholder.
    case keepCurrentImageWhileLoading
    /// Decode only the first frame of an animation.
    case onlyLoadFirstFrame
    /// Show the part of a truncated file that arrived, instead of failing: rows, scans, or complete frames.
    ///
    /// Works for every format of this package, and for other codecs that support it (`ImageCodec`). Missing
    /// rows are transparent, or black if the file has no alpha. An animated PNG whose chunks are out of
    /// sequence shows its default image. A partial image is not cached, in memory or on disk, and its
    /// original is not cached either: the next request loads from the source, and requests without this
    /// option never get a partial image. A download of fewer bytes than the server announced still fails.
    ///
    /// Not part of the original library.
    case acceptsPartialImages
    /// Apply the processor to every frame of an animation, instead of making a still of the first frame.
    ///
    /// The first frame is processed during the load. Each other frame is processed when it is shown, on the
    /// thread that decodes it. With `preloadAllAnimationData`, all frames are processed during the load. All
    /// frames are processed once more, in the background, when the animation is written to disk (see
    /// `DefaultCacheSerializer`).
    ///
    /// A processor gets a frame as `.image` and must make all frames of one size. If it returns no image for
    /// a frame, or one of another size, the animation shows the previous frame. If it returns the first frame
    /// unchanged, the whole animation stays unchanged.
    ///
    /// Caches store the animation separately from the still, under `processor.framewise.identifier`. With
    /// `onlyLoadFirstFrame` the result is the still. The option has no effect on stills and on loads without
    /// a processor.
    ///
    /// Not part of the original library.
    case processesAnimatedFrames
    /// Also store the unprocessed bytes on disk.
    case cacheOriginalImage
    /// The image that a view shows after a failure; nil for none. Without the option the placeholder stays.
    case onFailureImage(KFCrossPlatformImage?)
    /// Have a prefetcher also load images from disk into memory; it still counts them as skipped.
    case alsoPrefetchToMemory
    /// Read the disk on the caller's thread, before the call returns.
    case loadDiskFileSynchronously
    /// Never read the disk on the caller's thread, not even with `loadDiskFileSynchronously`.
    case asyncCacheTypeCheck
    /// How the disk entry is written; `.withoutOverwriting` does not replace an existing entry.
    case diskStoreWriteOptions(Data.WritingOptions)
    /// How long the image stays in memory; by default as the storage's configuration says.
    case memoryCacheExpiration(StorageExpiration)
    /// How a hit in memory moves its expiration.
    case memoryCacheAccessExtendingExpiration(ExpirationExtending)
    /// How long the image stays on disk; by default as the storage's configuration says.
    case diskCacheExpiration(StorageExpiration)
    /// How a hit on disk moves its expiration.
    case diskCacheAccessExtendingExpiration(ExpirationExtending)
    /// Where decoding and processing run. The default is a serial queue of the manager or downloader, and for
    /// originals that are read from disk the cache's queue that reads them.
    ///
    /// Files of processed images are always decoded on the cache's queues, at most eight at a time.
    case processingQueue(CallbackQueue)
    /// Show a progressive JPEG during the download: in a view, or as previews among the events of a load.
    case progressiveJPEG(ImageProgressive)
    /// Sources to load, in this order, if the requested one fails.
    case alternativeSources([Source])
    /// Decides whether a failed request is retried. Retries come before alternative sources.
    case retryStrategy(any RetryStrategy)
    /// The source to load instead of a download while the network is metered (see `NetworkMonitor`), before
    /// any alternative. A cached image of the requested source is used in any case.
    case lowDataMode(Source?)
    /// Show a smaller version of the image in place of the placeholder until the image is loaded, then
    /// crossfade to it.
    ///
    /// The view shows at once the largest image that memory has: of the given source, or a smaller one of the
    /// requested source. The latter must show the same: its processor may differ only in steps that change
    /// the size and keep the aspect ratio (`DownsamplingImageProcessor`, `FittingImageProcessor`,
    /// `ResizingImageProcessor` that fits or fills, `.decodesToViewSize`). The steps after these must have no
    /// lengths: colours, tint, rotation and flip. So a cropped, blurred or round-cornered image never stands
    /// in for one that is not, nor for one whose radius would look different. `nil` uses memory alone.
    ///
    /// A given source that is not in memory is loaded once no cache has the requested image, with the
    /// options of the request but without retries and alternatives. Its image is shown if it is larger than
    /// what is shown, but never after the requested image or one of its previews. The completion handler is
    /// called for the requested image only, and failures of the smaller one are ignored. Cancelling the load,
    /// or another load of the view, ends both.
    ///
    /// With `keepCurrentImageWhileLoading` a view that has an image keeps it. After a failure the smaller
    /// image stays, unless `onFailureImage` is set. The image crossfades in from every cache but memory, with
    /// the `transition` of the load or else in a quarter of a second; buttons, text attachments and
    /// `KingfisherImageSettable` classes change without a transition. The smaller image is scaled by the
    /// content mode of the view; in one that does not scale, it has its own size.
    ///
    /// Only for views: managers and prefetchers ignore it. Not part of the original library.
    case lowResolution(Source?)
    /// Show the new content of a local file when it changes.
    ///
    /// For views that show the image of a file URL, of a `LocalFileImageDataProvider`, or of a thumbnail
    /// provider. A file that is complete, because it was closed after writing or renamed or linked to this
    /// name, is loaded and crossfades in, with the `transition` of the load or else in a quarter of a second;
    /// buttons, text attachments and `KingfisherImageSettable` classes change without a transition. The
    /// completion handler is not called again. If the file is deleted or cannot be decoded, the image stays.
    /// A file, or its folder, that is made again is loaded, also if the load failed because it was missing.
    ///
    /// A view that is not on screen loads the file when it appears. Every view compares the file's version
    /// when it appears. Only so are changes noticed on network file systems (NFS, SMB, FUSE …) and in folders
    /// beyond the user's limit of inotify watches (`fs.inotify.max_user_watches`). Changes of a link's target
    /// and renamed ancestors of the folder are also noticed then. A folder has one watch for all views, and
    /// views that show nothing of it have none.
    ///
    /// The watch ends when the view loads another source, is cancelled (`cancelDownloadTask()`, also after
    /// the load) or emptied, or is released. Only for views: managers and prefetchers ignore the option. Not
    /// part of the original library.
    case watchesFile
    /// The file extension of the disk entry.
    case forcedCacheFileExtension(String?)
    /// Decode an image view's image to the size and scale factor that the view has on screen, and again
    /// when its scale factor changes.
    ///
    /// A load waits until its view has a layout. In the meantime the view retains the handlers, so a handler
    /// that uses the view should capture it as `[weak view]`. A load that begins before the view is drawn (in
    /// KingfisherGTK: before `widget` is read) decodes in full, and again when the view has a size. Decoding
    /// again uses the original, which is cached for this, and never loads from the source; if the original is
    /// not cached, the image does not change. Buttons, text attachments, `KingfisherImageSettable` classes
    /// and loads without a view ignore the option.
    ///
    /// Not part of the original library.
    case decodesToViewSize
    /// Use cached images as long as HTTP freshness allows, and revalidate stale ones (RFC 9111).
    ///
    /// The freshness of an HTTP response is stored with the image, in memory and on disk. It is computed from
    /// `Cache-Control`, `Expires`, `Date`, `Age`, `ETag`, `Last-Modified`, and `Vary` on `Accept`. Without an
    /// explicit lifetime, an image is fresh for a tenth of the time since `Last-Modified`, at most a day;
    /// without `Last-Modified` it is stale immediately. Seconds count from the sending of the request.
    ///
    /// A fresh image comes from a cache without a request. A stale image is revalidated, once for all
    /// concurrent requests, with `If-None-Match` and `If-Modified-Since`, unless a request modifier has set a
    /// condition. After a 304 the result is the cached image, with its `cacheType`, and its freshness is
    /// renewed. A new image replaces it in the target and original caches.
    ///
    /// - `stale-while-revalidate`: the stale image is delivered immediately, and the completion handler gets
    ///   no other. The caches are renewed in the background. A view that still shows the stale image then,
    ///   and has no other load, shows the new one with the load's transition.
    /// - `stale-if-error`: the stale image is delivered if the server answers 500, 502, 503 or 504. If the
    ///   server cannot be reached, or on a metered network with `lowDataMode`, the stale image is delivered
    ///   even without this directive.
    /// - `no-cache`, `must-revalidate` (once stale), `Vary` on anything but `Accept` and `Accept-Encoding`:
    ///   the image is never used without revalidation, not even offline.
    /// - `no-store`: the image is delivered but not cached, and an earlier one is removed from the caches.
    ///   The same applies to a partial response (206) and to responses to methods other than GET.
    /// - Redirects: the image is not fresh for longer than the redirects are; 301 and 308 count only if they
    ///   have explicit freshness.
    /// - 404 and 410 fail and remove the cached image; other failures do not remove it.
    /// - `onlyFromCache` uses a stale image if it may be used offline. `forceRefresh` loads the image without
    ///   a condition.
    ///
    /// The limits of the caches still apply: freshness never extends `diskCacheExpiration`. Images that were
    /// stored without this option, or by a direct call of the cache, are used without revalidation. Requests
    /// without this option also use stale images. A prefetcher skips a stale image in memory or on disk.
    /// `s-maxage` and `private` concern shared caches and are ignored. `Pragma` and `immutable` are also
    /// ignored; a fresh image is never revalidated.
    ///
    /// Not part of the original library, which leaves HTTP caching to URLSession.
    case httpCaching
    /// With `httpCaching`, how long images are fresh regardless of the headers of their server.
    ///
    /// For services that know their sources better than these do: a minimum lifetime for sources that say
    /// `no-cache`, a lifetime for sources that say nothing, and storing in spite of `no-store`. What is
    /// stored are the headers themselves, so each request decides by its own bounds. What a response varies
    /// on, and whether it is private, is respected.
    ///
    /// Not part of the original library.
    case httpFreshnessBounds(HTTPFreshnessBounds)
    /// Use cached images of local files without comparing the file's version.
    ///
    /// Without this option, an image of a `LocalFileImageDataProvider`, `FolderImageDataProvider`,
    /// `ThumbnailImageDataProvider` or `DesktopThumbnailProvider`, or of a file URL, is stored with the
    /// version of its file: device, inode, size and modification date. Each request compares it, with one
    /// system call of about a microsecond on the caller's thread. The call takes the attributes that the
    /// kernel has; on a network file system, resolving the path may wait for the server, as may opening a
    /// file of an `ImageFolder`. If the file has another version, it is loaded again and replaces the
    /// cached image. An image whose file was deleted, and one that was stored without a version, is used.
    /// Such images are not shared through tiers, because another machine has other versions.
    ///
    /// Not part of the original library, whose cached images never follow their files.
    case trustsLocalFiles
    /// Remember downloads that failed because the source has no image, and fail further requests for it
    /// without a download. Off by default, on in `KingfisherManager.forServers()`; nil turns it off.
    ///
    /// Remembered are responses with status 404 or 410, for all processors, and responses that no registered
    /// codec recognizes as an image, for the same processor. Other failures, such as server errors (5xx),
    /// 403, 429, timeouts, lost connections, truncated or corrupt files, exceeded limits and failures of
    /// providers, are not. A failure is remembered under the source's cache key, in the target cache: at most
    /// 10,000 of them, with at most 4 MiB of keys. Tiers that support it store it as well
    /// (`CacheTier.writeNegative`), unless `cacheMemoryOnly` is set. Requests with a request modifier, a
    /// redirect handler, or user name and password in their URL, and requests of a downloader with
    /// credentials, neither remember failures nor fail because of them: what they add may decide whether the
    /// server has the image.
    ///
    /// A request fails with `KingfisherError.ResourceErrorReason.knownFailure` if the caches have no image
    /// and the failure has not expired. Retry strategies and alternative sources also apply to this error. A
    /// request with `forceRefresh` loads the source. A successful download removes the failure; so do
    /// `ImageCache.removeImage(forKey:)`, `removeImages(keyPrefix:)` and `clearMemoryCache()`.
    ///
    /// Applies to requests of managers, views and prefetchers, not to live photos and direct calls of a
    /// downloader. Not part of the original library.
    case negativeCaching(NegativeCaching?)
    /// Decode, process and serialize with the formats, limits and strategy of a context, not of the process.
    /// In a manager's `defaultOptions`, it applies to all requests of that manager. Images in memory are used
    /// unchanged.
    ///
    /// Not part of the original library.
    case decodingContext(DecodingContext)
    /// The manager for a view's load or a prefetcher, with its default options. Without this option a view
    /// uses `KingfisherManager.shared`, and a prefetcher the default cache and downloader.
    ///
    /// Direct calls of a manager ignore the option.
    ///
    /// Not part of the original library.
    case manager(KingfisherManager)
    /// Tags by which `ImageCache.removeImages(tagged:)` removes the image that this request stores, in memory
    /// and on disk, and its original.
    ///
    /// An image that is cached already keeps its tags.
    ///
    /// Not part of the original library.
    case tags([String])
    /// Whether an interrupted download continues where it ended, even in a later process; true by default.
    ///
    /// This applies to bodies above `ImageDownloader.maxBodyBytesInMemory` that the disk cache may store, if
    /// the server announces their length and gives them a strong entity tag or modification date (RFC 9110,
    /// 8.8). The bytes so far are kept beside the cache folder for seven days, up to a tenth of the disk
    /// limit, and verified before they are used. The next request of the URL asks for the rest (`Range`,
    /// `If-Range`); if the resource has changed, the download starts over. Delegates, progress and freshness
    /// see the response to a request for the whole body.
    ///
    /// Not part of the original library.
    case resumable(Bool)
}
