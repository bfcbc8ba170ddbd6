public import KingfisherImage

extension KingfisherWrapper where Base: KingfisherImageSettable {
    /// Loads an image from caches or its source and sets it on the object.
    ///
    /// The placeholder, or nothing, is shown while loading; an image in memory is set before the call
    /// returns. An earlier load of the object completes with `notCurrentSourceTask`; its download is not
    /// cancelled if it has started. The load does not retain the object: if that is released, the image is
    /// still cached, and the load completes with `notCurrentSourceTask`, which contains its outcome. The
    /// manager is `KingfisherManager.shared`, whose default options apply.
    ///
    /// - Parameters:
    ///   - source: the source of the image; nil shows the placeholder and completes with `emptySource`.
    ///   - placeholder: shown while loading, and after a failure.
    ///   - options: added to the manager's `defaultOptions`; later ones win.
    ///   - progressBlock: called on the main thread, if the size is known.
    ///   - completionHandler: called once, on the main thread.
    /// - Returns: a task that cancels the load; nil if it has completed.
    @MainActor @discardableResult
    public func setImage(
        with source: Source?, placeholder: KFCrossPlatformImage? = nil, options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil, completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: source, placeholder: placeholder,
            parsedOptions: KingfisherManager.viewOptions(options), progressBlock: progressBlock,
            completionHandler: completionHandler)
    }

    @MainActor @discardableResult
    package func setImage(
        with source: Source?, placeholder: KFCrossPlatformImage?, parsedOptions: KingfisherParsedOptionsInfo,
        progressBlock: DownloadProgressBlock?, completionHandler: ViewCompletionHandler?
    ) -> DownloadTask? {
        ImageTarget(
            owner: base, current: AssociatedLoads.shared.load(of: base), placeholder: placeholder,
            image: { $0.getImage() }, setImage: { $0.setImage($1, options: $2) }
        ).load(source, options: parsedOptions, progress: progressBlock, completion: completionHandler)
    }

    /// Loads an image without reporting progress; see the overload with `progressBlock`.
    @MainActor @discardableResult
    public func setImage(
        with source: Source?, placeholder: KFCrossPlatformImage? = nil, options: KingfisherOptionsInfo? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: source, placeholder: placeholder, options: options, progressBlock: nil,
            completionHandler: completionHandler)
    }

    /// Loads the image of a resource, such as a `URL`; see the overload for `Source`.
    @MainActor @discardableResult
    public func setImage(
        with resource: (any Resource)?, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(), placeholder: placeholder, options: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the image of a resource without reporting progress; see the overload for `Source`.
    @MainActor @discardableResult
    public func setImage(
        with resource: (any Resource)?, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(), placeholder: placeholder, options: options,
            progressBlock: nil, completionHandler: completionHandler)
    }

    /// Loads the image of a data provider; see the overload for `Source`.
    @MainActor @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: provider.map { .provider($0) }, placeholder: placeholder, options: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the image of a data provider without reporting progress; see the overload for `Source`.
    @MainActor @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: provider.map { .provider($0) }, placeholder: placeholder, options: options,
            progressBlock: nil, completionHandler: completionHandler)
    }

    /// Cancels the current load at any stage: disk, network or processing.
    ///
    /// Its completion handler is called with a cancellation error. Does nothing if there is no load.
    @MainActor public func cancelDownloadTask() {
        AssociatedLoads.shared[base]?.cancel()
    }

    /// Loads the file again if it has changed (`.watchesFile`), because the object has appeared.
    @MainActor package func checkFile() {
        AssociatedLoads.shared[base]?.watch?.check()
    }

    /// The identifier of the current load, or nil.
    @MainActor public var taskIdentifier: Source.Identifier.Value? {
        AssociatedLoads.shared[base]?.identifier
    }
}
