public import KingfisherImage

extension KingfisherWrapper where Base: KingfisherImageSettable {
    /// Loads an image from caches or its source and gives it to the object.
    ///
    /// The placeholder, or nothing, is shown until then; an image in memory is given before the call
    /// returns. A load that this one takes the place of completes with `notCurrentSourceTask`; its download
    /// is not cancelled once it has begun. The object lives at least as long as the load. Manager and default
    /// options are those of `KingfisherManager.shared`.
    ///
    /// - Parameters:
    ///   - source: where the image comes from; nil shows the placeholder and completes with `emptySource`.
    ///   - placeholder: what is shown while loading, and after a failure.
    ///   - options: added to the manager's `defaultOptions`; the later wins.
    ///   - progressBlock: bytes so far and expected, on the main thread, while the size is known.
    ///   - completionHandler: called once, on the main thread.
    /// - Returns: a task to cancel the load with; nil when it has completed already.
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

    /// Loads an image with options that are complete: those of the manager are not added.
    @MainActor @discardableResult
    package func setImage(
        with source: Source?, placeholder: KFCrossPlatformImage?, parsedOptions: KingfisherParsedOptionsInfo,
        progressBlock: DownloadProgressBlock?, completionHandler: ViewCompletionHandler?
    ) -> DownloadTask? {
        let base = base
        return ImageTarget(
            current: AssociatedLoads.shared.load(of: base), placeholder: placeholder,
            renderer: (base as? View)?.renderer, image: { base.getImage() },
            setImage: { base.setImage($0, options: $1) }
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

    /// Cancels the load that the object waits for, wherever it is: disk, network or processing.
    ///
    /// Its completion handler is called with the error of the cancellation. Does nothing without such a load.
    @MainActor public func cancelDownloadTask() {
        AssociatedLoads.shared[base]?.cancel()
    }

    /// Identifies the load that the object waits for; nil while it waits for none.
    @MainActor public var taskIdentifier: Source.Identifier.Value? {
        AssociatedLoads.shared[base]?.identifier
    }
}
