public import KingfisherImage

/// The completion handler of a view's load. Called once, on the main actor.
public typealias ViewCompletionHandler =
    @MainActor @Sendable (_ result: Result<RetrieveImageResult, KingfisherError>) -> Void

extension KingfisherWrapper where Base: KFCrossPlatformImageView {
    /// Loads an image from caches or its source and shows it in the view.
    ///
    /// The placeholder, or nothing, is shown while loading; an image in memory is shown before the call
    /// returns. An earlier load of the view completes with `notCurrentSourceTask`; its download is not
    /// cancelled if it has started. The load does not retain the view: if that is released, the image is
    /// still cached, and the load completes in the same way. The manager is `KingfisherManager.shared`, or
    /// the manager of the option `.manager`.
    ///
    /// - Parameters:
    ///   - source: the source of the image; nil shows the placeholder and completes with `emptySource`.
    ///   - placeholder: shown while loading, and after a failure.
    ///   - options: added to the manager's `defaultOptions`; later ones win.
    ///   - progressBlock: called on the main thread, if the size is known.
    ///   - completionHandler: called once, on the main thread, after the transition, if there is one.
    /// - Returns: a task that cancels the load; nil if it has completed.
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

    /// Loads an image with parsed options; the manager's default options are not added.
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

    /// Cancels the current load at any stage: disk, network or processing.
    ///
    /// Its completion handler is called with a cancellation error. Does nothing if there is no load.
    @MainActor public func cancelDownloadTask() {
        base.loading.current.cancel()
    }
}

extension KingfisherWrapper where Base: KFCrossPlatformImageView {
    /// The identifier of the current load, or nil.
    @MainActor public var taskIdentifier: Source.Identifier.Value? {
        base.loading.current.identifier
    }

    /// The time after which the load of a view that has left the screen is cancelled; nil, the default, never
    /// cancels it.
    ///
    /// A view leaves the screen when it is hidden, removed, or scrolled out of sight. Its download is lowered
    /// in priority immediately. A cancelled load is not completed: it starts again when the view appears, and
    /// its completion handler is called then, or once the view loads something else or is released. The view
    /// retains the handler until then, so the handler must not retain the view. In a toolkit without screens
    /// a view never leaves.
    @MainActor public var cancelOnDisappear: Duration? {
        get { base.loading.cancelOnDisappear }
        nonmutating set {
            base.loading.cancelOnDisappear = newValue
            base.loading.running?.restartDisappearance()
            base.updateRunningLoad()
        }
    }

    /// Whether loads wait until the view is part of a window that is on screen, unless their image is in
    /// memory; false by default.
    ///
    /// For cells of lists, which are filled before they have a place: visible ones then load first. Without a
    /// toolkit, a view never appears.
    @MainActor public var loadsOnAppear: Bool {
        get { base.loading.loadsOnAppear }
        nonmutating set { base.loading.loadsOnAppear = newValue }
    }

    /// Cancels the current load and removes image and placeholder, so that a cell can show another item.
    ///
    /// The load's completion handler is called with an error, and what it shows is also removed.
    @MainActor public func prepareForReuse() {
        base.empty()
    }

    /// The indicator that the view shows while loading. Setting it creates the indicator, which is hidden at
    /// first.
    @MainActor public var indicatorType: IndicatorType {
        get { base.loading.indicatorType }
        nonmutating set { base.install(newValue) }
    }

    /// The indicator created by `indicatorType`.
    @MainActor public var indicator: (any Indicator)? {
        base.loading.indicator
    }

    /// The visible placeholder; nil once the image is shown.
    @MainActor public var placeholder: (any Placeholder)? {
        base.loading.placeholder
    }
}
