public import Foundation
import FoundationNetworking

/// The options of a request as properties.
public struct KingfisherParsedOptionsInfo: Sendable {
    private static let defaults = CopyOnWrite(wrappedValue: OptionGroups())

    /// Setting a property copies all groups; `change` sets several with one copy.
    @CopyOnWrite private(set) var groups: OptionGroups

    /// The cache that is read and written; nil for the manager's.
    public var targetCache: ImageCache? {
        get { cache.targetCache }
        set { cache.targetCache = newValue }
    }
    /// The cache of unprocessed originals; nil for the target cache.
    public var originalCache: ImageCache? {
        get { cache.originalCache }
        set { cache.originalCache = newValue }
    }
    /// The downloader; nil for the manager's.
    public var downloader: ImageDownloader? {
        get { fetch.downloader }
        set { fetch.downloader = newValue }
    }
    /// How a view changes to an image that came from the network.
    public var transition: ImageTransition {
        get { view.transition }
        set { view.transition = newValue }
    }
    /// Priority of the download, 0...1.
    public var downloadPriority: Float {
        get { fetch.downloadPriority }
        set { fetch.downloadPriority = newValue }
    }
    /// Whether caches are ignored when reading.
    public var forceRefresh: Bool {
        get { cache.forceRefresh }
        set { cache.forceRefresh = newValue }
    }
    /// Whether the disk is skipped when reading.
    public var fromMemoryCacheOrRefresh: Bool {
        get { cache.fromMemoryCacheOrRefresh }
        set { cache.fromMemoryCacheOrRefresh = newValue }
    }
    /// Whether the transition runs wherever the image came from.
    public var forceTransition: Bool {
        get { view.forceTransition }
        set { view.forceTransition = newValue }
    }
    /// Whether nothing is written to disk.
    public var cacheMemoryOnly: Bool {
        get { cache.cacheMemoryOnly }
        set { cache.cacheMemoryOnly = newValue }
    }
    /// Whether the completion waits for the disk.
    public var waitForCache: Bool {
        get { cache.waitForCache }
        set { cache.waitForCache = newValue }
    }
    /// Whether the source is never loaded.
    public var onlyFromCache: Bool {
        get { cache.onlyFromCache }
        set { cache.onlyFromCache = newValue }
    }
    /// Has no effect; see ``KingfisherOptionsInfoItem/backgroundDecode``.
    public var backgroundDecode: Bool {
        get { decode.backgroundDecode }
        set { decode.backgroundDecode = newValue }
    }
    /// Whether all frames of an animation are decoded during the load.
    public var preloadAllAnimationData: Bool {
        get { decode.preloadAllAnimationData }
        set { decode.preloadAllAnimationData = newValue }
    }
    /// Where completion handlers run.
    public var callbackQueue: CallbackQueue {
        get { delivery.callbackQueue }
        set { delivery.callbackQueue = newValue }
    }
    /// Pixels per point of decoded images.
    public var scaleFactor: CGFloat {
        get { decode.scaleFactor }
        set { decode.scaleFactor = newValue }
    }
    /// Changes the request before it is sent.
    public var requestModifier: (any AsyncImageDownloadRequestModifier)? {
        get { fetch.requestModifier }
        set { fetch.requestModifier = newValue }
    }
    /// Decides about redirects.
    public var redirectHandler: (any ImageDownloadRedirectHandler)? {
        get { fetch.redirectHandler }
        set { fetch.redirectHandler = newValue }
    }
    var givenProcessor: any ImageProcessor {
        get { decode.givenProcessor }
        set { decode.givenProcessor = newValue }
    }
    /// Changes the result before it is delivered.
    public var imageModifier: (any ImageModifier)? {
        get { delivery.imageModifier }
        set { delivery.imageModifier = newValue }
    }
    /// Turns the image into bytes for the disk and back.
    public var cacheSerializer: any CacheSerializer {
        get { cache.cacheSerializer }
        set { cache.cacheSerializer = newValue }
    }
    /// Whether a view shows its current image until the new one is loaded.
    public var keepCurrentImageWhileLoading: Bool {
        get { view.keepCurrentImageWhileLoading }
        set { view.keepCurrentImageWhileLoading = newValue }
    }
    /// Whether only the first frame of an animation is decoded.
    public var onlyLoadFirstFrame: Bool {
        get { decode.onlyLoadFirstFrame }
        set { decode.onlyLoadFirstFrame = newValue }
    }
    /// Whether a truncated file shows the rows that arrived.
    public var acceptsPartialImages: Bool {
        get { decode.acceptsPartialImages }
        set { decode.acceptsPartialImages = newValue }
    }
    /// Whether the processor is applied to every frame of an animation.
    public var processesAnimatedFrames: Bool {
        get { decode.processesAnimatedFrames }
        set { decode.processesAnimatedFrames = newValue }
    }
    /// Whether the unprocessed bytes are also stored on disk.
    public var cacheOriginalImage: Bool {
        get { cache.cacheOriginalImage }
        set { cache.cacheOriginalImage = newValue }
    }
    /// What a view shows after a failure: `.some(nil)` empties it, `.none` leaves the placeholder.
    public var onFailureImage: KFCrossPlatformImage?? {
        get { view.onFailureImage }
        set { view.onFailureImage = newValue }
    }
    /// Whether a prefetcher loads images from disk into memory.
    public var alsoPrefetchToMemory: Bool {
        get { cache.alsoPrefetchToMemory }
        set { cache.alsoPrefetchToMemory = newValue }
    }
    /// Whether the disk is read on the caller's thread.
    public var loadDiskFileSynchronously: Bool {
        get { cache.loadDiskFileSynchronously }
        set { cache.loadDiskFileSynchronously = newValue }
    }
    /// Whether the disk is never read on the caller's thread.
    public var asyncCacheTypeCheck: Bool {
        get { cache.asyncCacheTypeCheck }
        set { cache.asyncCacheTypeCheck = newValue }
    }
    /// How the disk entry is written.
    public var diskStoreWriteOptions: Data.WritingOptions {
        get { cache.diskStoreWriteOptions }
        set { cache.diskStoreWriteOptions = newValue }
    }
    /// How long the image stays in memory; nil for the storage's default.
    public var memoryCacheExpiration: StorageExpiration? {
        get { cache.memoryCacheExpiration }
        set { cache.memoryCacheExpiration = newValue }
    }
    /// How a hit in memory moves its expiration.
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending {
        get { cache.memoryCacheAccessExtendingExpiration }
        set { cache.memoryCacheAccessExtendingExpiration = newValue }
    }
    /// How long the image stays on disk; nil for the storage's default.
    public var diskCacheExpiration: StorageExpiration? {
        get { cache.diskCacheExpiration }
        set { cache.diskCacheExpiration = newValue }
    }
    /// How a hit on disk moves its expiration.
    public var diskCacheAccessExtendingExpiration: ExpirationExtending {
        get { cache.diskCacheAccessExtendingExpiration }
        set { cache.diskCacheAccessExtendingExpiration = newValue }
    }
    /// Where decoding and processing run; nil for the defaults (`KingfisherOptionsInfoItem.processingQueue`).
    public var processingQueue: CallbackQueue? {
        get { decode.processingQueue }
        set { decode.processingQueue = newValue }
    }
    /// How a progressive JPEG is shown during the download; nil to show only the complete image.
    public var progressiveJPEG: ImageProgressive? {
        get { decode.progressiveJPEG }
        set { decode.progressiveJPEG = newValue }
    }
    /// Sources to load, in this order, if the requested one fails.
    public var alternativeSources: [Source]? {
        get { fetch.alternativeSources }
        set { fetch.alternativeSources = newValue }
    }
    /// Decides whether a failed request is retried.
    public var retryStrategy: (any RetryStrategy)? {
        get { fetch.retryStrategy }
        set { fetch.retryStrategy = newValue }
    }
    /// The source to load instead of a download while the network is metered.
    public var lowDataModeSource: Source? {
        get { fetch.lowDataModeSource }
        set { fetch.lowDataModeSource = newValue }
    }
    /// The file extension of the disk entry; nil for the storage's choice.
    public var forcedExtension: String? {
        get { cache.forcedExtension }
        set { cache.forcedExtension = newValue }
    }
    /// Whether a view's image is decoded to the size and scale factor that the view has on screen.
    public var decodesToViewSize: Bool {
        get { view.decodesToViewSize }
        set { view.decodesToViewSize = newValue }
    }
    /// Whether HTTP caching is on (``KingfisherOptionsInfoItem/httpCaching``).
    public var httpCaching: Bool {
        get { cache.httpCaching }
        set { cache.httpCaching = newValue }
    }
    /// How long a download that found no image is remembered; nil to remember none.
    public var negativeCaching: NegativeCaching? {
        get { cache.negativeCaching }
        set { cache.negativeCaching = newValue }
    }
    /// The formats and limits for decoding; nil for those of the process.
    public var decodingContext: DecodingContext? {
        get { decode.decodingContext }
        set { decode.decodingContext = newValue }
    }
    /// The manager of a view's load or a prefetcher; nil for `KingfisherManager.shared`.
    public var manager: KingfisherManager? {
        get { view.manager }
        set { view.manager = newValue }
    }
    /// Whether an interrupted download continues where it ended
    /// (``KingfisherOptionsInfoItem/resumable(_:)``).
    public var resumable: Bool {
        get { fetch.isResumable }
        set { fetch.isResumable = newValue }
    }
    /// The tags of stored images, for removal.
    public var tags: [String] {
        get { cache.tags }
        set { cache.tags = newValue }
    }
    /// Whether memory gets the encoded file instead of the pixels.
    var keepsEncoded: Bool {
        get { cache.keepsEncoded }
        set { cache.keepsEncoded = newValue }
    }
    /// Called with the encoded file of a stored image.
    var fileObserver: (@Sendable (EncodedImage) -> Void)? {
        get { cache.fileObserver }
        set { cache.fileObserver = newValue }
    }
    /// Called if a newer image replaces the delivered one in the caches.
    var renewalObserver: (@Sendable (RetrieveImageResult) -> Void)? {
        get { view.renewalObserver }
        set { view.renewalObserver = newValue }
    }
    /// Whether a view calls its handlers on the main queue, regardless of `callbackQueue`.
    var isForView: Bool {
        get { view.isForView }
        set { view.isForView = newValue }
    }
    var downloadObserver: (any DownloadObserver)? {
        get { fetch.downloadObserver }
        set { fetch.downloadObserver = newValue }
    }
    var downloadCall: DownloadCall? {
        get { fetch.downloadCall }
        set { fetch.downloadCall = newValue }
    }
    /// Turns bytes into the image. Its identifier is part of the cache key.
    ///
    /// With `processesAnimatedFrames`, this is the framewise variant (`ImageProcessor.framewise`) of the
    /// processor that was set, except with `onlyLoadFirstFrame`.
    public var processor: any ImageProcessor {
        get {
            if onlyLoadFirstFrame {
                return (givenProcessor as? FramewiseImageProcessor)?.plain ?? givenProcessor
            }
            return processesAnimatedFrames ? givenProcessor.framewise : givenProcessor
        }
        set { givenProcessor = newValue }
    }
    var processorIdentifier: String {
        // Avoids `processor`, which copies, in the common case.
        decode.processesAnimatedFrames || decode.onlyLoadFirstFrame
            ? processor.identifier : decode.givenProcessor.identifier
    }

    /// Applies the items in order. The original cache defaults to the target cache.
    public init(_ info: KingfisherOptionsInfo?) {
        _groups = Self.defaults
        guard let info, !info.isEmpty else { return }
        change { $0.apply(info) }
    }

    init(
        _ defaults: KingfisherOptionsInfo, then own: KingfisherOptionsInfo, over cache: ImageCache,
        _ downloader: ImageDownloader
    ) {
        _groups = Self.defaults
        change { groups in
            groups.fetch.downloader = downloader
            groups.cache.targetCache = cache
            groups.apply(defaults + own)
        }
    }

    mutating func change(_ body: (inout OptionGroups) -> Void) { body(&groups) }

    var cache: CacheOptions {
        _read { yield groups.cache }
        _modify { yield &groups.cache }
    }
    var fetch: FetchOptions {
        _read { yield groups.fetch }
        _modify { yield &groups.fetch }
    }
    var decode: DecodeOptions {
        _read { yield groups.decode }
        _modify { yield &groups.decode }
    }
    var delivery: DeliveryOptions {
        _read { yield groups.delivery }
        _modify { yield &groups.delivery }
    }
    var view: ViewOptions {
        _read { yield groups.view }
        _modify { yield &groups.view }
    }

    func encoding(of image: KFCrossPlatformImage) -> @Sendable () -> Data? {
        { decodingContext.run { cacheSerializer.data(with: image, original: nil) } }
    }

    /// Whether files hold the processed image; false if the serializer stores the original.
    var storesProcessedFiles: Bool { processor.identifier.isEmpty || !cacheSerializer.originalDataUsed }

    var readsDiskOnCallersThread: Bool { loadDiskFileSynchronously && !asyncCacheTypeCheck }

    /// How images are decoded with these options: the scale, the frames of an animation, and whether
    /// truncated files are accepted.
    public var imageCreatingOptions: ImageCreatingOptions {
        var options = ImageCreatingOptions(
            scale: scaleFactor, preloadAll: preloadAllAnimationData, onlyFirstFrame: onlyLoadFirstFrame)
        options.acceptsPartialImages = acceptsPartialImages
        return options
    }

    /// Whether an image of `data` may lack rows. No cache stores such an image.
    func isPartial(_ data: Data) -> Bool {
        acceptsPartialImages && decodingContext.run { ImageCodecs.endsEarly(data) }
    }
}
