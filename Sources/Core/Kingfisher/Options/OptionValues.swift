public import Foundation
import FoundationNetworking
public import KingfisherImage

/// The options of a request, which are the properties of ``KingfisherParsedOptionsInfo``.
public struct OptionValues: Sendable {
    // MARK: Caches

    /// The cache that is read and written; nil for the manager's.
    public var targetCache: ImageCache?
    /// The cache of unprocessed originals; nil for the target cache.
    public var originalCache: ImageCache?
    /// Whether caches are ignored when reading.
    public var forceRefresh = false
    /// Whether the disk is skipped when reading.
    public var fromMemoryCacheOrRefresh = false
    /// Whether nothing is written to disk.
    public var cacheMemoryOnly = false
    /// Whether the completion waits for the disk.
    public var waitForCache = false
    /// Whether the source is never loaded.
    public var onlyFromCache = false
    /// Turns the image into bytes for the disk and back.
    public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
    /// Whether the unprocessed bytes are also stored on disk.
    public var cacheOriginalImage = false
    /// Whether a prefetcher loads images from disk into memory.
    public var alsoPrefetchToMemory = false
    /// Whether the disk is read on the caller's thread.
    public var loadDiskFileSynchronously = false
    /// Whether the disk is never read on the caller's thread.
    public var asyncCacheTypeCheck = false
    /// How the disk entry is written.
    public var diskStoreWriteOptions: Data.WritingOptions = []
    /// How long the image stays in memory; nil for the storage's default.
    public var memoryCacheExpiration: StorageExpiration?
    /// How a hit in memory moves its expiration.
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    /// How long the image stays on disk; nil for the storage's default.
    public var diskCacheExpiration: StorageExpiration?
    /// How a hit on disk moves its expiration.
    public var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    /// The file extension of the disk entry; nil for the storage's choice.
    public var forcedExtension: String?
    /// Whether HTTP caching is on (``KingfisherOptionsInfoItem/httpCaching``).
    public var httpCaching = false
    /// How `httpCaching` deviates from the headers of servers.
    public var httpFreshnessBounds = HTTPFreshnessBounds()
    /// Whether cached images of local files are used without comparing the file's version.
    public var trustsLocalFiles = false
    /// How long a download that found no image is remembered; nil to remember none.
    public var negativeCaching: NegativeCaching?
    /// The tags of stored images, for removal.
    public var tags: [String] = []

    // MARK: The source

    /// The downloader; nil for the manager's.
    public var downloader: ImageDownloader?
    /// Priority of the download, 0...1.
    public var downloadPriority: Float = URLSessionTask.defaultPriority
    /// Changes the request before it is sent.
    public var requestModifier: (any AsyncImageDownloadRequestModifier)?
    /// Decides about redirects.
    public var redirectHandler: (any ImageDownloadRedirectHandler)?
    /// Sources to load, in this order, if the requested one fails.
    public var alternativeSources: [Source]?
    /// Decides whether a failed request is retried.
    public var retryStrategy: (any RetryStrategy)?
    /// The source to load instead of a download while the network is metered.
    public var lowDataModeSource: Source?
    /// Whether an interrupted download continues where it ended
    /// (``KingfisherOptionsInfoItem/resumable(_:)``).
    public var resumable = true

    // MARK: Decoding

    /// Has no effect; see ``KingfisherOptionsInfoItem/backgroundDecode``.
    public var backgroundDecode = false
    /// Whether all frames of an animation are decoded during the load.
    public var preloadAllAnimationData = false
    /// Pixels per point of decoded images.
    public var scaleFactor: CGFloat = 1.0
    var givenProcessor: any ImageProcessor = DefaultImageProcessor.default
    /// Whether only the first frame of an animation is decoded.
    public var onlyLoadFirstFrame = false
    /// Whether a truncated file shows the rows that arrived.
    public var acceptsPartialImages = false
    /// Whether the processor is applied to every frame of an animation.
    public var processesAnimatedFrames = false
    /// Where decoding and processing run; nil for the defaults (`KingfisherOptionsInfoItem.processingQueue`).
    public var processingQueue: CallbackQueue?
    /// How a progressive JPEG is shown during the download; nil to show only the complete image.
    public var progressiveJPEG: ImageProgressive?
    /// The formats and limits for decoding; nil for the formats and limits of the process.
    public var decodingContext: DecodingContext?

    // MARK: Delivery

    /// Where completion handlers run.
    public var callbackQueue: CallbackQueue = .mainCurrentOrAsync
    /// Changes the result before it is delivered.
    public var imageModifier: (any ImageModifier)?

    // MARK: Views

    /// How a view changes to an image that came from the network.
    public var transition: ImageTransition = .none
    /// Whether the transition runs wherever the image came from.
    public var forceTransition = false
    /// Whether a view shows its current image until the new one is loaded.
    public var keepCurrentImageWhileLoading = false
    /// What a view shows after a failure: `.some(nil)` empties it, `.none` leaves the placeholder.
    public var onFailureImage: KFCrossPlatformImage??
    /// What a view shows until its image is loaded: an image of this source, or with `.some(nil)` a smaller
    /// image in memory; `.none` for neither (``KingfisherOptionsInfoItem/lowResolution(_:)``).
    public var lowResolution: Source??
    /// Whether a view loads the image again when its file changes.
    public var watchesFile = false
    /// Whether a view's image is decoded to the size and scale factor that the view has on screen.
    public var decodesToViewSize = false
    /// The manager of a view's load or a prefetcher; nil for `KingfisherManager.shared`.
    public var manager: KingfisherManager?

    /// What a request gives to an open method; no option of users.
    var handover = Handover()
}

extension OptionValues {
    mutating func apply(_ items: KingfisherOptionsInfo) {
        for item in items {
            let isApplied =
                applyCaches(item) || applySource(item) || applyDecoding(item) || applyDelivery(item)
                || applyViews(item)
            assert(isApplied, "no function applies \(item)")
        }
        if originalCache == nil { originalCache = targetCache }
    }

    mutating func disableFailover() {
        (alternativeSources, lowDataModeSource, retryStrategy) = (nil, nil, nil)
    }

    /// For images that go to no caller or to one that has its own queue: a cache stores unmodified images.
    mutating func deliverUnmodified() { (callbackQueue, imageModifier) = (.untouch, nil) }

    private mutating func applyCaches(_ item: KingfisherOptionsInfoItem) -> Bool {
        switch item {
        case .targetCache(let value): targetCache = value
        case .originalCache(let value): originalCache = value
        case .forceRefresh: forceRefresh = true
        case .fromMemoryCacheOrRefresh: fromMemoryCacheOrRefresh = true
        case .cacheMemoryOnly: cacheMemoryOnly = true
        case .waitForCache: waitForCache = true
        case .onlyFromCache: onlyFromCache = true
        case .cacheSerializer(let value): cacheSerializer = value
        case .cacheOriginalImage: cacheOriginalImage = true
        case .alsoPrefetchToMemory: alsoPrefetchToMemory = true
        case .loadDiskFileSynchronously: loadDiskFileSynchronously = true
        case .asyncCacheTypeCheck: asyncCacheTypeCheck = true
        case .diskStoreWriteOptions(let value): diskStoreWriteOptions = value
        case .memoryCacheExpiration(let value): memoryCacheExpiration = value
        case .memoryCacheAccessExtendingExpiration(let value): memoryCacheAccessExtendingExpiration = value
        case .diskCacheExpiration(let value): diskCacheExpiration = value
        case .diskCacheAccessExtendingExpiration(let value): diskCacheAccessExtendingExpiration = value
        case .forcedCacheFileExtension(let value): forcedExtension = value
        case .httpCaching: httpCaching = true
        case .httpFreshnessBounds(let value): httpFreshnessBounds = value
        case .trustsLocalFiles: trustsLocalFiles = true
        case .negativeCaching(let value): negativeCaching = value
        case .tags(let value): tags = value
        default: return false
        }
        return true
    }

    private mutating func applySource(_ item: KingfisherOptionsInfoItem) -> Bool {
        switch item {
        case .downloader(let value): downloader = value
        case .downloadPriority(let value): downloadPriority = value
        case .requestModifier(let value): requestModifier = value
        case .redirectHandler(let value): redirectHandler = value
        case .alternativeSources(let value): alternativeSources = value
        case .retryStrategy(let value): retryStrategy = value
        case .lowDataMode(let value): lowDataModeSource = value
        case .resumable(let value): resumable = value
        default: return false
        }
        return true
    }

    private mutating func applyDecoding(_ item: KingfisherOptionsInfoItem) -> Bool {
        switch item {
        case .backgroundDecode: backgroundDecode = true
        case .scaleFactor(let value): scaleFactor = value
        case .preloadAllAnimationData: preloadAllAnimationData = true
        case .processor(let value): givenProcessor = value
        case .onlyLoadFirstFrame: onlyLoadFirstFrame = true
        case .acceptsPartialImages: acceptsPartialImages = true
        case .processesAnimatedFrames: processesAnimatedFrames = true
        case .processingQueue(let value): processingQueue = value
        case .progressiveJPEG(let value): progressiveJPEG = value
        case .decodingContext(let value): decodingContext = value
        default: return false
        }
        return true
    }

    private mutating func applyDelivery(_ item: KingfisherOptionsInfoItem) -> Bool {
        switch item {
        case .callbackQueue(let value): callbackQueue = value
        case .imageModifier(let value): imageModifier = value
        default: return false
        }
        return true
    }

    private mutating func applyViews(_ item: KingfisherOptionsInfoItem) -> Bool {
        switch item {
        case .transition(let value): transition = value
        case .forceTransition: forceTransition = true
        case .keepCurrentImageWhileLoading: keepCurrentImageWhileLoading = true
        case .onFailureImage(let value): onFailureImage = .some(value)
        case .lowResolution(let value): lowResolution = .some(value)
        case .watchesFile: watchesFile = true
        case .decodesToViewSize: decodesToViewSize = true
        case .manager(let value): manager = value
        default: return false
        }
        return true
    }
}

/// A value on the heap that is copied on change, so that passing it costs one reference count.
@propertyWrapper
struct CopyOnWrite<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    init(wrappedValue: Value) { box = Box(wrappedValue) }

    // A change always makes a new box, so that the value in a box is constant and can be read without a copy.
    var wrappedValue: Value {
        _read { yield box.value }
        _modify {
            var value = box.value
            defer { box = Box(value) }
            yield &value
        }
    }
}
