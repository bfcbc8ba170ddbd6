public import KingfisherImage

/// The completion of a view's load: called once, on the main actor.
public typealias ViewCompletionHandler =
    @MainActor @Sendable (_ result: Result<RetrieveImageResult, KingfisherError>) -> Void

extension KingfisherWrapper where Base: KFCrossPlatformImageView {
    /// Loads an image from caches or its source and shows it in the view.
    ///
    /// The placeholder, or nothing, is shown until then; an image in memory is shown before the call
    /// returns. A load that this one takes the place of completes with `notCurrentSourceTask`; its download
    /// is not cancelled once it has begun. The manager is `KingfisherManager.shared`, or the one that the
    /// option `.manager` names.
    ///
    /// - Parameters:
    ///   - source: where the image comes from; nil shows the placeholder and completes with `emptySource`.
    ///   - placeholder: what is shown while loading, and after a failure.
    ///   - options: added to the manager's `defaultOptions`; the later wins.
    ///   - progressBlock: bytes so far and expected, on the main thread, while the size is known.
    ///   - completionHandler: called once, on the main thread, after the transition, if there is one.
    /// - Returns: a task to cancel the load with; nil when it has completed already.
    @MainActor @discardableResult
    public func setImage(
        with source: Source?, placeholder: (any Placeholder)? = nil, options: KingfisherOptionsInfo? = nil,
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
        with source: Source?, placeholder: (any Placeholder)?, parsedOptions: KingfisherParsedOptionsInfo,
        progressBlock: DownloadProgressBlock?, completionHandler: ViewCompletionHandler?
    ) -> DownloadTask? {
        ImageViewTarget(view: base, placeholder: placeholder).load(
            source, options: parsedOptions, progress: progressBlock, completion: completionHandler)
    }

    /// Loads an image without reporting progress; see the overload with `progressBlock`.
    @MainActor @discardableResult
    public func setImage(
        with source: Source?, placeholder: (any Placeholder)? = nil, options: KingfisherOptionsInfo? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: source, placeholder: placeholder, options: options, progressBlock: nil,
            completionHandler: completionHandler)
    }

    /// Loads the image of a resource, such as a `URL`; see the overload for `Source`.
    @MainActor @discardableResult
    public func setImage(
        with resource: (any Resource)?, placeholder: (any Placeholder)? = nil,
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
        with resource: (any Resource)?, placeholder: (any Placeholder)? = nil,
        options: KingfisherOptionsInfo? = nil, completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(), placeholder: placeholder, options: options,
            progressBlock: nil, completionHandler: completionHandler)
    }

    /// Loads the image of a data provider; see the overload for `Source`.
    @MainActor @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?, placeholder: (any Placeholder)? = nil,
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
        with provider: (any ImageDataProvider)?, placeholder: (any Placeholder)? = nil,
        options: KingfisherOptionsInfo? = nil, completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: provider.map { .provider($0) }, placeholder: placeholder, options: options,
            progressBlock: nil, completionHandler: completionHandler)
    }

    /// Cancels the load that the view waits for, wherever it is: disk, network or processing.
    ///
    /// Its completion handler is called with the error of the cancellation. Does nothing without such a load.
    @MainActor public func cancelDownloadTask() {
        base.loading.current.cancel()
    }
}

extension KingfisherWrapper where Base: KFCrossPlatformImageView {
    /// Identifies the load that the view waits for; nil while it waits for none.
    @MainActor public var taskIdentifier: Source.Identifier.Value? {
        base.loading.current.identifier
    }

    /// Which indicator the view shows while it waits. Setting it makes the indicator, hidden at first.
    @MainActor public var indicatorType: IndicatorType {
        get { base.loading.indicatorType }
        nonmutating set { base.install(newValue) }
    }

    /// The indicator that `indicatorType` made.
    @MainActor public var indicator: (any Indicator)? {
        base.loading.indicator
    }

    /// The placeholder that the view shows; nil once its image is there.
    @MainActor public var placeholder: (any Placeholder)? {
        base.loading.placeholder
    }
}
