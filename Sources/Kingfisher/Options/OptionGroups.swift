import Foundation
import FoundationNetworking
import KingfisherImage

/// The options of a request, grouped by the stage that reads them.
struct OptionGroups: Sendable {
    var cache = CacheOptions()
    var fetch = FetchOptions()
    var decode = DecodeOptions()
    var delivery = DeliveryOptions()
    var view = ViewOptions()

    mutating func apply(_ items: KingfisherOptionsInfo) {
        for item in items {
            _ =
                cache.apply(item) || fetch.apply(item) || decode.apply(item) || delivery.apply(item)
                || view.apply(item)
        }
        if cache.originalCache == nil { cache.originalCache = cache.targetCache }
    }
}

struct CacheOptions: Sendable {
    var targetCache: ImageCache?
    var originalCache: ImageCache?
    var forceRefresh = false
    var fromMemoryCacheOrRefresh = false
    var cacheMemoryOnly = false
    var waitForCache = false
    var onlyFromCache = false
    var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
    var cacheOriginalImage = false
    var alsoPrefetchToMemory = false
    var loadDiskFileSynchronously = false
    var asyncCacheTypeCheck = false
    var diskStoreWriteOptions: Data.WritingOptions = []
    var memoryCacheExpiration: StorageExpiration?
    var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    var diskCacheExpiration: StorageExpiration?
    var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    var forcedExtension: String?
    var httpCaching = false
    var negativeCaching: NegativeCaching?
    var tags: [String] = []
    var keepsEncoded = false
    var fileObserver: (@Sendable (EncodedImage) -> Void)?

    fileprivate mutating func apply(_ item: KingfisherOptionsInfoItem) -> Bool {
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
        case .negativeCaching(let value): negativeCaching = value
        case .tags(let value): tags = value
        default: return false
        }
        return true
    }
}

struct FetchOptions: Sendable {
    var downloader: ImageDownloader?
    var downloadPriority: Float = URLSessionTask.defaultPriority
    var requestModifier: (any AsyncImageDownloadRequestModifier)?
    var redirectHandler: (any ImageDownloadRedirectHandler)?
    var alternativeSources: [Source]?
    var retryStrategy: (any RetryStrategy)?
    var lowDataModeSource: Source?
    var isResumable = true
    var downloadObserver: (any DownloadObserver)?
    var downloadCall: DownloadCall?

    mutating func disableFailover() {
        (alternativeSources, lowDataModeSource, retryStrategy) = (nil, nil, nil)
    }

    fileprivate mutating func apply(_ item: KingfisherOptionsInfoItem) -> Bool {
        switch item {
        case .downloader(let value): downloader = value
        case .downloadPriority(let value): downloadPriority = value
        case .requestModifier(let value): requestModifier = value
        case .redirectHandler(let value): redirectHandler = value
        case .alternativeSources(let value): alternativeSources = value
        case .retryStrategy(let value): retryStrategy = value
        case .lowDataMode(let value): lowDataModeSource = value
        case .resumable(let value): isResumable = value
        default: return false
        }
        return true
    }
}

struct DecodeOptions: Sendable {
    var backgroundDecode = false
    var preloadAllAnimationData = false
    var scaleFactor: CGFloat = 1.0
    var givenProcessor: any ImageProcessor = DefaultImageProcessor.default
    var onlyLoadFirstFrame = false
    var acceptsPartialImages = false
    var processesAnimatedFrames = false
    var processingQueue: CallbackQueue?
    var progressiveJPEG: ImageProgressive?
    var decodingContext: DecodingContext?

    fileprivate mutating func apply(_ item: KingfisherOptionsInfoItem) -> Bool {
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
}

struct DeliveryOptions: Sendable {
    var callbackQueue: CallbackQueue = .mainCurrentOrAsync
    var imageModifier: (any ImageModifier)?

    fileprivate mutating func apply(_ item: KingfisherOptionsInfoItem) -> Bool {
        switch item {
        case .callbackQueue(let value): callbackQueue = value
        case .imageModifier(let value): imageModifier = value
        default: return false
        }
        return true
    }
}

struct ViewOptions: Sendable {
    var transition: ImageTransition = .none
    var forceTransition = false
    var keepCurrentImageWhileLoading = false
    var onFailureImage: KFCrossPlatformImage??
    var decodesToViewSize = false
    var manager: KingfisherManager?
    var renewalObserver: (@Sendable (RetrieveImageResult) -> Void)?
    var isForView = false

    fileprivate mutating func apply(_ item: KingfisherOptionsInfoItem) -> Bool {
        switch item {
        case .transition(let value): transition = value
        case .forceTransition: forceTransition = true
        case .keepCurrentImageWhileLoading: keepCurrentImageWhileLoading = true
        case .onFailureImage(let value): onFailureImage = .some(value)
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
