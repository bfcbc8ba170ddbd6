public import Foundation

/// Options of a request; later items win over earlier ones of the same kind.
public typealias KingfisherOptionsInfo = [KingfisherOptionsInfoItem]

extension Array where Element == KingfisherOptionsInfoItem {
    static let empty: KingfisherOptionsInfo = []

    /// The manager that the options name last.
    var manager: KingfisherManager? {
        reduce(nil) { manager, item in
            if case .manager(let named) = item { named } else { manager }
        }
    }
}

/// One choice about how an image is fetched, made and kept.
public enum KingfisherOptionsInfoItem: Sendable {
    /// The cache that is read and written; default `ImageCache.default`.
    case targetCache(ImageCache)
    /// The cache of unprocessed originals; default the target cache.
    case originalCache(ImageCache)
    /// The downloader; default `ImageDownloader.default`.
    case downloader(ImageDownloader)
    /// How a view changes to an image that came from the network.
    case transition(ImageTransition)
    /// Priority of the download, 0...1: of those that wait for a connection, the highest starts first.
    ///
    /// Equal ones start in the order they came. Who joins a running download leaves its priority as it is;
    /// setting `sessionTask.task.priority` of a task that still waits moves it. Low ones wait while higher
    /// ones keep coming.
    case downloadPriority(Float)
    /// Ignore caches when reading; still write them.
    case forceRefresh
    /// Take an image from memory, or download it; skip the disk when reading.
    case fromMemoryCacheOrRefresh
    /// Run the transition wherever the image came from.
    case forceTransition
    /// Write to memory only.
    case cacheMemoryOnly
    /// Complete only after the image is on disk.
    case waitForCache
    /// Never download.
    case onlyFromCache
    /// Decode on a background queue before the image is handed out.
    ///
    /// Changes nothing: images are always decoded there.
    case backgroundDecode
    /// Where completion handlers run; default `.mainCurrentOrAsync`.
    case callbackQueue(CallbackQueue)
    /// Pixels per point of decoded images.
    case scaleFactor(CGFloat)
    /// Decode all frames of an animation at once.
    case preloadAllAnimationData
    /// Changes the request before it is sent.
    case requestModifier(any AsyncImageDownloadRequestModifier)
    /// Decides about redirects.
    case redirectHandler(any ImageDownloadRedirectHandler)
    /// Turns bytes into the image.
    case processor(any ImageProcessor)
    /// Turns the image into bytes for the disk and back.
    case cacheSerializer(any CacheSerializer)
    /// Changes the result just before it is handed out; what is cached stays as it was.
    case imageModifier(any ImageModifier)
    /// Let a view keep the image it shows until the new one is there; the placeholder serves an empty view.
    case keepCurrentImageWhileLoading
    /// Decode only the first frame of an animation.
    case onlyLoadFirstFrame
    /// Show what arrived of a file that ends early, instead of failing: rows, scans, or complete frames.
    ///
    /// For every format of this package, and those of others that can (`ImageCodec`). Missing rows are
    /// transparent, or black where the file has no alpha; an animated PNG whose chunks are out of sequence
    /// shows its default image. Such an image stays in no cache, in memory or on disk, and neither does its
    /// original: the next request asks the source again, and requests without this option never see it. A
    /// download of fewer bytes than the server promised fails all the same.
    ///
    /// Not part of the original library.
    case acceptsPartialImages
    /// Apply the processor to every frame of an animation, instead of making a still of the first one.
    ///
    /// The first frame is processed with the load, each other one when it is shown, on the thread that
    /// decodes it; all of them with `preloadAllAnimationData`, and once more in the background when the
    /// animation is written to disk (see `DefaultCacheSerializer`). A processor sees a frame as `.image`, and
    /// must make all frames of one size: one that it refuses, or makes of another size, shows the frame
    /// before. One that hands the first frame back as it is leaves the whole animation as it is.
    ///
    /// Caches keep the animation beside the still, by another identifier: `processor.framewise.identifier`.
    /// With `onlyLoadFirstFrame` it is the still that is asked for. Stills, and loads without a processor,
    /// stay as they are.
    ///
    /// Not part of the original library.
    case processesAnimatedFrames
    /// Also keep the unprocessed bytes on disk.
    case cacheOriginalImage
    /// What a view shows after a failure; nil empties it. Without the option the placeholder stays.
    case onFailureImage(KFCrossPlatformImage?)
    /// Have a prefetcher bring images that are on disk into memory, too; it still counts them as skipped.
    case alsoPrefetchToMemory
    /// Read the disk on the caller's thread, before the call returns.
    case loadDiskFileSynchronously
    /// Never look at the disk on the caller's thread, not even with `loadDiskFileSynchronously`.
    case asyncCacheTypeCheck
    /// How the disk entry is written; `.withoutOverwriting` keeps an entry that is already there.
    case diskStoreWriteOptions(Data.WritingOptions)
    /// How long the image stays in memory; default the storage's own.
    case memoryCacheExpiration(StorageExpiration)
    /// How a hit in memory moves its expiration.
    case memoryCacheAccessExtendingExpiration(ExpirationExtending)
    /// How long the image stays on disk; default the storage's own.
    case diskCacheExpiration(StorageExpiration)
    /// How a hit on disk moves its expiration.
    case diskCacheAccessExtendingExpiration(ExpirationExtending)
    /// Where decoding and processing run; default a serial queue of the manager or downloader, and for
    /// originals that are read from disk the cache's queue that reads them.
    ///
    /// Files of processed images are decoded in the cache's queues in any case: up to eight at a time.
    case processingQueue(CallbackQueue)
    /// Show a progressive JPEG in a view as it arrives.
    case progressiveJPEG(ImageProgressive)
    /// Sources to try, in this order, when the one asked for fails.
    case alternativeSources([Source])
    /// Decides whether a failed request is tried again; before alternative sources are.
    case retryStrategy(any RetryStrategy)
    /// What is loaded instead of a download while the network is metered (see `NetworkMonitor`), before any
    /// alternative. An image that a cache has is still shown as it is.
    case lowDataMode(Source?)
    /// The file extension of the disk entry.
    case forcedCacheFileExtension(String?)
    /// Decode an image view's image to the size and scale factor that the view has on screen, and again
    /// when its scale factor changes.
    ///
    /// A load waits until its view was laid out, and the view holds its handlers meanwhile: one that names
    /// the view should take it as `[weak view]`. A load that began before anything drew the view (in
    /// KingfisherGTK: before `widget` was asked for) decodes in full, and again when the view has a size.
    /// Decoding again takes the original from a cache, where it is kept for that, and never asks its source;
    /// the image stays as it is where it cannot be had. Buttons, text attachments,
    /// `KingfisherImageSettable` classes and loads without a view ignore the option.
    ///
    /// Not part of the original library.
    case decodesToViewSize
    /// Keep images as long as their servers say, and ask these whether an old one is still good (RFC 9111).
    ///
    /// What an HTTP response says about its freshness is kept with the image, in memory and on disk:
    /// `Cache-Control`, `Expires`, `Date`, `Age`, `ETag`, `Last-Modified`, and `Vary` on `Accept`; where it
    /// sets no time, a tenth of that since `Last-Modified` counts, a day at most, and without that date a
    /// image is stale at once. Seconds are counted from the sending of the request. An image that is fresh
    /// comes from a cache without a request. For a stale one the server is asked, by everybody who wants it
    /// once, with `If-None-Match` and `If-Modified-Since` unless a request modifier has set a condition: on
    /// 304 the cached image is the result, with its `cacheType`, and lives on; a new image takes its
    /// place in the target and original caches.
    ///
    /// - `stale-while-revalidate`: the old image is the result, at once, and the only one the completion
    ///   gets. The caches are renewed in the background. A view that still shows the old image then, and
    ///   loads no other, shows the new one, with the load's transition.
    /// - `stale-if-error`: the old image is the result while the server answers 500, 502, 503 or
    ///   504. When it cannot be reached at all, or on a metered network with `lowDataMode`, the
    ///   old one is the result in any case.
    /// - `no-cache`, `must-revalidate` (once stale), `Vary` on anything but `Accept` and `Accept-Encoding`:
    ///   never used without the server's word, offline neither.
    /// - `no-store`: the result is handed out and kept in no cache, and what was there before goes. So it is
    ///   with a part (206), and with what answers another method than GET.
    /// - Redirects: the image is fresh no longer than they are; 301 and 308 limit only what they say.
    /// - 404 and 410 fail as ever and remove the image; other failures leave it.
    /// - `onlyFromCache` takes a stale image where it may be used offline; `forceRefresh`
    ///   asks for a whole one.
    ///
    /// The limits of the caches hold as ever: freshness keeps nothing longer than `diskCacheExpiration`.
    /// Images that were stored without the option, or by hand, are used as without it, and requests without
    /// it use what was stored with it and ask no server. A prefetcher skips a stale image, in memory or on
    /// disk. `s-maxage` and `private` are for shared caches and ignored; so are `Pragma`, and `immutable`, as
    /// nobody is asked about a fresh image anyway.
    ///
    /// Not part of the original library, which leaves HTTP caching to URLSession.
    case httpCaching
    /// Decodes, processes and serializes with the formats, the limits and the strategy of a context, in place
    /// of the process's. Among a manager's `defaultOptions` it holds for all its requests. Images that memory
    /// has are used as they are.
    ///
    /// Not part of the original library.
    case decodingContext(DecodingContext)
    /// The manager of a view's load, or of a prefetcher, with its default options; without it
    /// `KingfisherManager.shared`, or for a prefetcher the default cache and downloader.
    ///
    /// A manager that is asked itself ignores the option.
    ///
    /// Not part of the original library.
    case manager(KingfisherManager)
    /// Names by which `ImageCache.removeImages(tagged:)` finds the image that this request stores, in memory
    /// and on disk, and its original.
    ///
    /// An image that a cache has already keeps the tags that it was stored with.
    ///
    /// Not part of the original library.
    case tags([String])
}
