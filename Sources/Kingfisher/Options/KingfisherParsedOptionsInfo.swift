public import Foundation
import FoundationNetworking

/// Options as plain fields, so that a request looks each up once.
public struct KingfisherParsedOptionsInfo: Sendable {
    /// The cache that is read and written; nil for the manager's.
    public var targetCache: ImageCache?
    /// The cache of unprocessed originals; nil for the target cache.
    public var originalCache: ImageCache?
    /// The downloader; nil for the manager's.
    public var downloader: ImageDownloader?
    /// How a view changes to a picture that came from the network.
    public var transition: ImageTransition = .none
    /// Priority of the download, 0...1.
    public var downloadPriority: Float = URLSessionTask.defaultPriority
    /// Whether caches are ignored when reading.
    public var forceRefresh = false
    /// Whether the disk is skipped when reading.
    public var fromMemoryCacheOrRefresh = false
    /// Whether the transition runs wherever the picture came from.
    public var forceTransition = false
    /// Whether nothing is written to disk.
    public var cacheMemoryOnly = false
    /// Whether the completion waits for the disk.
    public var waitForCache = false
    /// Whether nothing is ever fetched.
    public var onlyFromCache = false
    /// Whether pictures are decoded on a background queue; they always are.
    public var backgroundDecode = false
    /// Whether all frames of an animation are decoded at once.
    public var preloadAllAnimationData = false
    /// Where completion handlers run.
    public var callbackQueue: CallbackQueue = .mainCurrentOrAsync
    /// Pixels per point of decoded pictures.
    public var scaleFactor: CGFloat = 1.0
    /// Changes the request before it is sent.
    public var requestModifier: (any AsyncImageDownloadRequestModifier)?
    /// Decides about redirects.
    public var redirectHandler: (any ImageDownloadRedirectHandler)?
    /// Turns bytes into the picture, and names it in caches: what was set, or that for every frame
    /// (`ImageProcessor.framewise`) where `processesAnimatedFrames` asks for it.
    ///
    /// The one place where the two options meet. Only a still is wanted with `onlyLoadFirstFrame`.
    public var processor: any ImageProcessor {
        get {
            if onlyLoadFirstFrame {
                return (givenProcessor as? FramewiseImageProcessor)?.plain ?? givenProcessor
            }
            return processesAnimatedFrames ? givenProcessor.framewise : givenProcessor
        }
        set { givenProcessor = newValue }
    }
    /// What names the processor in caches.
    var processorIdentifier: String {
        // Not by way of `processor` where that changes nothing: it hands out a copy.
        processesAnimatedFrames || onlyLoadFirstFrame ? processor.identifier : givenProcessor.identifier
    }
    /// The processor as it was set.
    var givenProcessor: any ImageProcessor = DefaultImageProcessor.default
    /// Changes the result just before it is handed out.
    public var imageModifier: (any ImageModifier)?
    /// Turns the picture into bytes for the disk and back.
    public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
    /// Whether a view keeps the picture it shows until the new one is there.
    public var keepCurrentImageWhileLoading = false
    /// Whether only the first frame of an animation is decoded.
    public var onlyLoadFirstFrame = false
    /// Whether a file that ends early shows the rows that arrived.
    public var acceptsPartialImages = false
    /// Whether the processor is applied to every frame of an animation.
    public var processesAnimatedFrames = false
    /// Whether the unprocessed bytes are kept on disk, too.
    public var cacheOriginalImage = false
    /// What a view shows after a failure: `.some(nil)` empties it, `.none` leaves the placeholder.
    public var onFailureImage: KFCrossPlatformImage??
    /// Whether a prefetcher brings pictures that are on disk into memory.
    public var alsoPrefetchToMemory = false
    /// Whether the disk is read on the caller's thread.
    public var loadDiskFileSynchronously = false
    /// Whether the disk is never looked at on the caller's thread.
    public var asyncCacheTypeCheck = false
    /// How the disk entry is written.
    public var diskStoreWriteOptions: Data.WritingOptions = []
    /// How long the picture stays in memory; nil for the storage's own.
    public var memoryCacheExpiration: StorageExpiration?
    /// How a hit in memory moves its expiration.
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    /// How long the picture stays on disk; nil for the storage's own.
    public var diskCacheExpiration: StorageExpiration?
    /// How a hit on disk moves its expiration.
    public var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    /// Where decoding and processing run; nil for a serial queue of the manager or downloader.
    public var processingQueue: CallbackQueue?
    /// How a progressive JPEG is shown while it arrives; nil for not at all.
    public var progressiveJPEG: ImageProgressive?
    /// Sources to try, in this order, when the one asked for fails.
    public var alternativeSources: [Source]?
    /// Decides whether a failed request is tried again.
    public var retryStrategy: (any RetryStrategy)?
    /// What is loaded instead while the network is metered.
    public var lowDataModeSource: Source?
    /// The file extension of the disk entry; nil for the storage's choice.
    public var forcedExtension: String?
    /// Whether a view's picture is decoded to the size and scale factor that the view has on screen.
    public var decodesToViewSize = false
    /// Whether pictures are kept as long as their servers say.
    public var httpCaching = false
    /// What decoding goes by; nil for what the process has.
    public var decodingContext: DecodingContext?
    /// The manager of a view's load or a prefetcher; nil for `KingfisherManager.shared`.
    public var manager: KingfisherManager?
    /// Names by which what is stored can be removed.
    public var tags: [String] = []
    /// Whether the file of what is stored stays in memory, in place of the pixels.
    var keepsEncoded = false
    /// Gets the file that the disk is to have of what is stored.
    var fileObserver: (@Sendable (EncodedImage) -> Void)?
    /// Hears of the picture that took the place of the one that was handed out, if one did.
    var renewalObserver: (@Sendable (RetrieveImageResult) -> Void)?
    /// Whether a view takes the answers to the main queue, whatever `callbackQueue` says.
    var isForView = false
    /// Follows the bytes of the download, for a view that shows them as they come.
    var downloadObserver: (any DownloadObserver)?
    /// What a manager wants of a downloader that may be overridden.
    var downloadCall: DownloadCall?

    /// Reads the items in order; the original cache falls back to the target cache.
    public init(_ info: KingfisherOptionsInfo?) {
        for item in info ?? [] { apply(item) }
        if originalCache == nil { originalCache = targetCache }
    }

    /// Reads a manager's defaults and then a request's own items, over the manager's parts.
    init(
        _ defaults: KingfisherOptionsInfo, then own: KingfisherOptionsInfo, over cache: ImageCache,
        _ downloader: ImageDownloader
    ) {
        self.downloader = downloader
        targetCache = cache
        for item in defaults { apply(item) }
        for item in own { apply(item) }
        if originalCache == nil { originalCache = targetCache }
    }

    private mutating func apply(_ item: KingfisherOptionsInfoItem) {
        switch item {
        case .targetCache(let value): targetCache = value
        case .originalCache(let value): originalCache = value
        case .downloader(let value): downloader = value
        case .transition(let value): transition = value
        case .downloadPriority(let value): downloadPriority = value
        case .forceRefresh: forceRefresh = true
        case .fromMemoryCacheOrRefresh: fromMemoryCacheOrRefresh = true
        case .forceTransition: forceTransition = true
        case .cacheMemoryOnly: cacheMemoryOnly = true
        case .waitForCache: waitForCache = true
        case .onlyFromCache: onlyFromCache = true
        case .backgroundDecode: backgroundDecode = true
        case .callbackQueue(let value): callbackQueue = value
        case .scaleFactor(let value): scaleFactor = value
        case .preloadAllAnimationData: preloadAllAnimationData = true
        case .requestModifier(let value): requestModifier = value
        case .redirectHandler(let value): redirectHandler = value
        case .processor(let value): processor = value
        case .cacheSerializer(let value): cacheSerializer = value
        case .imageModifier(let value): imageModifier = value
        case .keepCurrentImageWhileLoading: keepCurrentImageWhileLoading = true
        case .onlyLoadFirstFrame: onlyLoadFirstFrame = true
        case .acceptsPartialImages: acceptsPartialImages = true
        case .processesAnimatedFrames: processesAnimatedFrames = true
        case .cacheOriginalImage: cacheOriginalImage = true
        case .onFailureImage(let value): onFailureImage = .some(value)
        case .alsoPrefetchToMemory: alsoPrefetchToMemory = true
        case .loadDiskFileSynchronously: loadDiskFileSynchronously = true
        case .asyncCacheTypeCheck: asyncCacheTypeCheck = true
        case .diskStoreWriteOptions(let value): diskStoreWriteOptions = value
        case .memoryCacheExpiration(let value): memoryCacheExpiration = value
        case .memoryCacheAccessExtendingExpiration(let value): memoryCacheAccessExtendingExpiration = value
        case .diskCacheExpiration(let value): diskCacheExpiration = value
        case .diskCacheAccessExtendingExpiration(let value): diskCacheAccessExtendingExpiration = value
        case .processingQueue(let value): processingQueue = value
        case .progressiveJPEG(let value): progressiveJPEG = value
        case .alternativeSources(let value): alternativeSources = value
        case .retryStrategy(let value): retryStrategy = value
        case .lowDataMode(let value): lowDataModeSource = value
        case .forcedCacheFileExtension(let value): forcedExtension = value
        case .decodesToViewSize: decodesToViewSize = true
        case .httpCaching: httpCaching = true
        case .decodingContext(let value): decodingContext = value
        case .manager(let value): manager = value
        case .tags(let value): tags = value
        }
    }

    /// Whether files hold the processed image: a serializer of originals keeps those.
    var storesProcessedFiles: Bool { processor.identifier.isEmpty || !cacheSerializer.originalDataUsed }

    /// Whether the disk is read before the call that asks for it returns.
    var readsDiskOnCallersThread: Bool { loadDiskFileSynchronously && !asyncCacheTypeCheck }

    /// How pictures are made from bytes under these options: their scale, and how much of a file that was
    /// cut, or of an animation.
    public var imageCreatingOptions: ImageCreatingOptions {
        var options = ImageCreatingOptions(
            scale: scaleFactor, preloadAll: preloadAllAnimationData, onlyFirstFrame: onlyLoadFirstFrame)
        options.acceptsPartialImages = acceptsPartialImages
        return options
    }

    /// Whether a picture that these options make of `data` may lack rows. It is for this request alone: no
    /// cache keeps it, and none of its files is read as one.
    func isPartial(_ data: Data) -> Bool {
        acceptsPartialImages && decodingContext.run { ImageCodecs.endsEarly(data) }
    }
}
