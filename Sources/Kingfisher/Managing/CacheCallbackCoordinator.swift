/// Decides when a fetched picture is reported: at once, or when what should be on disk is there.
///
/// A pure state machine; `apply` says true exactly once.
struct CacheCallbackCoordinator: Sendable {
    enum Event: Sendable {
        /// Storing has begun; memory has the picture.
        case cacheInitiated
        /// The picture is on disk, or need not be.
        case imageCached
        /// The original bytes are on disk.
        case originalCached
    }

    let waitsForCache: Bool
    let cachesOriginal: Bool
    private var isImageCached = false
    private var isOriginalCached = false
    private var isReported = false

    init(waitsForCache: Bool, cachesOriginal: Bool) {
        self.waitsForCache = waitsForCache
        self.cachesOriginal = cachesOriginal
    }

    /// Takes note of `event`; true when this is the moment to report.
    mutating func apply(_ event: Event) -> Bool {
        guard !isReported else { return false }
        switch event {
        case .cacheInitiated: isReported = !waitsForCache
        case .imageCached: isImageCached = true
        case .originalCached: isOriginalCached = true
        }
        if waitsForCache, isImageCached, isOriginalCached || !cachesOriginal { isReported = true }
        return isReported
    }
}
