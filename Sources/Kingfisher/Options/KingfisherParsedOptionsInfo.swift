public import Foundation
import FoundationNetworking

/// Options as plain properties, so that a request looks each up once.
public struct KingfisherParsedOptionsInfo: Sendable {
    /// What is behind the properties. Each change of one copies all groups; `change` does so once.
    @CopyOnWrite private(set) var groups: OptionGroups
    private static let defaults = CopyOnWrite(wrappedValue: OptionGroups())

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
    /// Whether nothing is ever fetched.
    public var onlyFromCache: Bool {
        get { cache.onlyFromCache }
        set { cache.onlyFromCache = newValue }
    }
    /// Whether images are decoded on a background queue; they always are.
    public var backgroundDecode: Bool {
        get { decode.backgroundDecode }
        set { decode.backgroundDecode = newValue }
    }
    /// Whether all frames of an animation are decoded at once.
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
    /// The processor as it was set.
    var givenProcessor: any ImageProcessor {
        get { decode.givenProcessor }
        set { decode.givenProcessor = newValue }
    }
    /// Changes the result just before it is handed out.
    public var imageModifier: (any ImageModifier)? {
        get { delivery.imageModifier }
        set { delivery.imageModifier = newValue }
    }
    /// Turns the image into bytes for the disk and back.
    public var cacheSerializer: any CacheSerializer {
        get { cache.cacheSerializer }
        set { cache.cacheSerializer = newValue }
    }
    /// Whether a view keeps the image it shows until the new one is there.
    public var keepCurrentImageWhileLoading: Bool {
        get { view.keepCurrentImageWhileLoading }
        set { view.keepCurrentImageWhileLoading = newValue }
    }
    /// Whether only the first frame of an animation is decoded.
    public var onlyLoadFirstFrame: Bool {
        get { decode.onlyLoadFirstFrame }
        set { decode.onlyLoadFirstFrame = newValue }
    }
    /// Whether a file that ends early shows the rows that arrived.
    public var acceptsPartialImages: Bool {
        get { decode.acceptsPartialImages }
        set { decode.acceptsPartialImages = newValue }
    }
    /// Whether the processor is applied to every frame of an animation.
    public var processesAnimatedFrames: Bool {
        get { decode.processesAnimatedFrames }
        set { decode.processesAnimatedFrames = newValue }
    }
    /// Whether the unprocessed bytes are kept on disk, too.
    public var cacheOriginalImage: Bool {
        get { cache.cacheOriginalImage }
        set { cache.cacheOriginalImage = newValue }
    }
    /// What a view shows after a failure: `.some(nil)` empties it, `.none` leaves the placeholder.
    public var onFailureImage: KFCrossPlatformImage?? {
        get { view.onFailureImage }
        set { view.onFailureImage = newValue }
    }
    /// Whether a prefetcher brings images that are on disk into memory.
    public var alsoPrefetchToMemory: Bool {
        get { cache.alsoPrefetchToMemory }
        set { cache.alsoPrefetchToMemory = newValue }
    }
    /// Whether the disk is read on the caller's thread.
    public var loadDiskFileSynchronously: Bool {
        get { cache.loadDiskFileSynchronously }
        set { cache.loadDiskFileSynchronously = newValue }
    }
    /// Whether the disk is never looked at on the caller's thread.
    public var asyncCacheTypeCheck: Bool {
        get { cache.asyncCacheTypeCheck }
        set { cache.asyncCacheTypeCheck = newValue }
    }
    /// How the disk entry is written.
    public var diskStoreWriteOptions: Data.WritingOptions {
        get { cache.diskStoreWriteOptions }
        set { cache.diskStoreWriteOptions = newValue }
    }
    /// How long the image stays in memory; nil for the storage's own.
    public var memoryCacheExpiration: StorageExpiration? {
        get { cache.memoryCacheExpiration }
        set { cache.memoryCacheExpiration = newValue }
    }
    /// How a hit in memory moves its expiration.
    public var memoryCacheAccessExtendingExpiration: ExpirationExtending {
        get { cache.memoryCacheAccessExtendingExpiration }
        set { cache.memoryCacheAccessExtendingExpiration = newValue }
    }
    /// How long the image stays on disk; nil for the storage's own.
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
    /// How a progressive JPEG is shown while it arrives; nil for not at all.
    public var progressiveJPEG: ImageProgressive? {
        get { decode.progressiveJPEG }
        set { decode.progressiveJPEG = newValue }
    }
    /// Sources to try, in this order, when the one asked for fails.
    public var alternativeSources: [Source]? {
        get { fetch.alternativeSources }
        set { fetch.alternativeSources = newValue }
    }
    /// Decides whether a failed request is tried again.
    public var retryStrategy: (any RetryStrategy)? {
        get { fetch.retryStrategy }
        set { fetch.retryStrategy = newValue }
    }
    /// What is loaded instead while the network is metered.
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
    /// Whether images are kept as long as their servers say.
    public var httpCaching: Bool {
        get { cache.httpCaching }
        set { cache.httpCaching = newValue }
    }
    /// What decoding goes by; nil for what the process has.
    public var decodingContext: DecodingContext? {
        get { decode.decodingContext }
        set { decode.decodingContext = newValue }
    }
    /// The manager of a view's load or a prefetcher; nil for `KingfisherManager.shared`.
    public var manager: KingfisherManager? {
        get { view.manager }
        set { view.manager = newValue }
    }
    /// Names by which what is stored can be removed.
    public var tags: [String] {
        get { cache.tags }
        set { cache.tags = newValue }
    }
    /// Whether the file of what is stored stays in memory, in place of the pixels.
    var keepsEncoded: Bool {
        get { cache.keepsEncoded }
        set { cache.keepsEncoded = newValue }
    }
    /// Gets the file that the disk is to have of what is stored.
    var fileObserver: (@Sendable (EncodedImage) -> Void)? {
        get { cache.fileObserver }
        set { cache.fileObserver = newValue }
    }
    /// Hears of the image that took the place of the one that was handed out, if one did.
    var renewalObserver: (@Sendable (RetrieveImageResult) -> Void)? {
        get { view.renewalObserver }
        set { view.renewalObserver = newValue }
    }
    /// Whether a view takes the answers to the main queue, whatever `callbackQueue` says.
    var isForView: Bool {
        get { view.isForView }
        set { view.isForView = newValue }
    }
    /// Follows the bytes of the download, for a view that shows them as they come.
    var downloadObserver: (any DownloadObserver)? {
        get { fetch.downloadObserver }
        set { fetch.downloadObserver = newValue }
    }
    /// What a manager wants of a downloader that may be overridden.
    var downloadCall: DownloadCall? {
        get { fetch.downloadCall }
        set { fetch.downloadCall = newValue }
    }
    /// Turns bytes into the image, and names it in caches: what was set, or that for every frame
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
        decode.processesAnimatedFrames || decode.onlyLoadFirstFrame
            ? processor.identifier : decode.givenProcessor.identifier
    }

    /// Reads the items in order; the original cache falls back to the target cache.
    public init(_ info: KingfisherOptionsInfo?) {
        _groups = Self.defaults
        guard let info, !info.isEmpty else { return }
        change { $0.apply(info) }
    }

    /// Reads a manager's defaults and then a request's own items, over the manager's parts.
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

    /// Changes several properties.
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

    /// Encodes an image as the disk would have it, without what it was made of.
    func encoding(of image: KFCrossPlatformImage) -> @Sendable () -> Data? {
        { decodingContext.run { cacheSerializer.data(with: image, original: nil) } }
    }

    /// Whether files hold the processed image: a serializer of originals keeps those.
    var storesProcessedFiles: Bool { processor.identifier.isEmpty || !cacheSerializer.originalDataUsed }

    /// Whether the disk is read before the call that asks for it returns.
    var readsDiskOnCallersThread: Bool { loadDiskFileSynchronously && !asyncCacheTypeCheck }

    /// How images are made from bytes under these options: their scale, and how much of a file that was
    /// cut, or of an animation.
    public var imageCreatingOptions: ImageCreatingOptions {
        var options = ImageCreatingOptions(
            scale: scaleFactor, preloadAll: preloadAllAnimationData, onlyFirstFrame: onlyLoadFirstFrame)
        options.acceptsPartialImages = acceptsPartialImages
        return options
    }

    /// Whether an image that these options make of `data` may lack rows. It is for this request alone: no
    /// cache keeps it, and none of its files is read as one.
    func isPartial(_ data: Data) -> Bool {
        acceptsPartialImages && decodingContext.run { ImageCodecs.endsEarly(data) }
    }
}
