public import Foundation
import FoundationNetworking

/// Options as plain fields, so that a request looks each up once.
public struct KingfisherParsedOptionsInfo: Sendable {
    public var targetCache: ImageCache?
    public var originalCache: ImageCache?
    public var downloader: ImageDownloader?
    public var transition: ImageTransition = .none
    public var downloadPriority: Float = URLSessionTask.defaultPriority
    public var forceRefresh = false
    public var fromMemoryCacheOrRefresh = false
    public var forceTransition = false
    public var cacheMemoryOnly = false
    public var waitForCache = false
    public var onlyFromCache = false
    public var preloadAllAnimationData = false
    public var callbackQueue: CallbackQueue = .mainCurrentOrAsync
    public var scaleFactor: CGFloat = 1.0
    public var requestModifier: (any AsyncImageDownloadRequestModifier)?
    public var redirectHandler: (any ImageDownloadRedirectHandler)?
    public var processor: any ImageProcessor = DefaultImageProcessor.default
    public var imageModifier: (any ImageModifier)?
    public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
    public var onlyLoadFirstFrame = false
    public var cacheOriginalImage = false
    public var loadDiskFileSynchronously = false
    public var diskStoreWriteOptions: Data.WritingOptions = []
    public var memoryCacheExpiration: StorageExpiration?
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    public var diskCacheExpiration: StorageExpiration?
    public var diskCacheAccessExtendingExpiration: ExpirationExtending = .cacheTime
    public var processingQueue: CallbackQueue?
    public var forcedExtension: String?

    /// Reads the items in order; the original cache falls back to the target cache.
    public init(_ info: KingfisherOptionsInfo?) {
        for item in info ?? [] { apply(item) }
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
        case .callbackQueue(let value): callbackQueue = value
        case .scaleFactor(let value): scaleFactor = value
        case .preloadAllAnimationData: preloadAllAnimationData = true
        case .requestModifier(let value): requestModifier = value
        case .redirectHandler(let value): redirectHandler = value
        case .processor(let value): processor = value
        case .cacheSerializer(let value): cacheSerializer = value
        case .imageModifier(let value): imageModifier = value
        case .onlyLoadFirstFrame: onlyLoadFirstFrame = true
        case .cacheOriginalImage: cacheOriginalImage = true
        case .loadDiskFileSynchronously: loadDiskFileSynchronously = true
        case .diskStoreWriteOptions(let value): diskStoreWriteOptions = value
        case .memoryCacheExpiration(let value): memoryCacheExpiration = value
        case .memoryCacheAccessExtendingExpiration(let value): memoryCacheAccessExtendingExpiration = value
        case .diskCacheExpiration(let value): diskCacheExpiration = value
        case .diskCacheAccessExtendingExpiration(let value): diskCacheAccessExtendingExpiration = value
        case .processingQueue(let value): processingQueue = value
        case .forcedCacheFileExtension(let value): forcedExtension = value
        }
    }

    /// How pictures are made from bytes under these options.
    var imageCreatingOptions: ImageCreatingOptions {
        ImageCreatingOptions(
            scale: scaleFactor, preloadAll: preloadAllAnimationData, onlyFirstFrame: onlyLoadFirstFrame)
    }
}
