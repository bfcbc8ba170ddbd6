/// What one request is to load, and for whom: the user's options, and what only this library sets.
struct RequestPlan: Sendable {
    private(set) var source: Source
    var options: KingfisherParsedOptionsInfo
    /// Called on the main queue.
    var progressBlock: SendableProgressBlock?
    var downloadTaskUpdated: DownloadTaskUpdatedBlock?
    /// False once a newer request has superseded this one. The request then reads no disk, decodes nothing,
    /// starts no download and tries no other source, but fails with `imageNotExisting`. Called on any thread.
    var isCurrent: (@Sendable () -> Bool)?
    /// Gets the bytes of downloads as they arrive.
    var downloadObserver: (any DownloadObserver)?
    /// Called once no cache has an image that can be used, before each load from a source; on any thread.
    var willLoadSource: (@Sendable () -> Void)?
    /// Called if a newer image replaces the delivered one in the caches.
    var renewalObserver: (@Sendable (RetrieveImageResult) -> Void)?
    /// Whether a view calls its handlers on the main queue, regardless of `callbackQueue`.
    var isForView = false

    init(
        _ source: Source, _ options: KingfisherParsedOptionsInfo, progressBlock: SendableProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil, isCurrent: (@Sendable () -> Bool)? = nil
    ) {
        self.source = source
        self.options = options
        self.progressBlock = progressBlock
        self.downloadTaskUpdated = downloadTaskUpdated
        self.isCurrent = isCurrent
    }

    /// The same plan for a source that has another cache key.
    func with(_ source: Source) -> RequestPlan {
        var plan = self
        plan.source = source
        return plan
    }

    /// The plan of a background request that replaces the image of this one.
    func renewal(of source: Source, forcesRefresh: Bool) -> RequestPlan {
        var options = options
        options.change { values in
            values.callbackQueue = .untouch
            values.disableFailover()
            if forcesRefresh { values.forceRefresh = true }
        }
        return RequestPlan(source, options)
    }
}
