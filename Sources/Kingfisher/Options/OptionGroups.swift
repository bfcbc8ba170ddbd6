import Foundation
import FoundationNetworking
import KingfisherImage

/// Where an image is looked up and stored, and how.
struct CacheOptions: Sendable {
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
    var tags: [String] = []
    var keepsEncoded = false
    var fileObserver: (@Sendable (EncodedImage) -> Void)?
}

/// Where an image comes from.
struct FetchOptions: Sendable {
    var downloadPriority: Float = URLSessionTask.defaultPriority
    var requestModifier: (any AsyncImageDownloadRequestModifier)?
    var redirectHandler: (any ImageDownloadRedirectHandler)?
    var alternativeSources: [Source]?
    var retryStrategy: (any RetryStrategy)?
    var lowDataModeSource: Source?
    var downloadObserver: (any DownloadObserver)?
    var downloadCall: DownloadCall?
}

/// How an image is made of bytes.
struct DecodeOptions: Sendable {
    var backgroundDecode = false
    var preloadAllAnimationData = false
    var scaleFactor: CGFloat = 1.0
    var givenProcessor: any ImageProcessor = DefaultImageProcessor.default
    var imageModifier: (any ImageModifier)?
    var onlyLoadFirstFrame = false
    var acceptsPartialImages = false
    var processesAnimatedFrames = false
    var processingQueue: CallbackQueue?
    var progressiveJPEG: ImageProgressive?
    var decodingContext: DecodingContext?
}

/// What concerns views alone.
struct ViewOptions: Sendable {
    var transition: ImageTransition = .none
    var forceTransition = false
    var keepCurrentImageWhileLoading = false
    var onFailureImage: KFCrossPlatformImage??
    var decodesToViewSize = false
    var manager: KingfisherManager?
    var renewalObserver: (@Sendable (RetrieveImageResult) -> Void)?
    var isForView = false
}

/// A value on the heap, copied when it is changed, so that passing it on costs one reference.
@propertyWrapper
struct CopyOnWrite<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    init(wrappedValue: Value) { box = Box(wrappedValue) }

    // Another box even where this one is not shared: what is constant is read without a copy.
    var wrappedValue: Value {
        _read { yield box.value }
        _modify {
            var value = box.value
            defer { box = Box(value) }
            yield &value
        }
    }
}
