public import KingfisherImage

extension KingfisherWrapper where Base: KFCrossPlatformButton {
    /// Loads the background for a state of the button from caches or its source.
    ///
    /// The placeholder, or nothing, is shown while loading; an image in memory is shown before the call
    /// returns. An earlier load of the same image slot completes with `notCurrentSourceTask`; its download is
    /// not cancelled if it has started. The button's other images are loaded independently.
    ///
    /// - Parameters:
    ///   - source: the source of the image; nil shows the placeholder and completes with `emptySource`.
    ///   - state: the state in which the image is shown.
    ///   - placeholder: shown while loading, and after a failure.
    ///   - options: added to the manager's `defaultOptions`; later ones win.
    ///   - progressBlock: called on the main thread, if the size is known.
    ///   - completionHandler: called once, on the main thread.
    /// - Returns: a task that cancels the load; nil if it has completed.
    @MainActor @discardableResult
    public func setBackgroundImage(
        with source: Source?, for state: ControlState, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setBackgroundImage(
            with: source, for: state, placeholder: placeholder,
            parsedOptions: KingfisherManager.viewOptions(options), progressBlock: progressBlock,
            completionHandler: completionHandler)
    }

    /// Loads the background for a state from a resource, such as a `URL`; see the overload for `Source`.
    @MainActor @discardableResult
    public func setBackgroundImage(
        with resource: (any Resource)?, for state: ControlState, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setBackgroundImage(
            with: resource?.convertToSource(), for: state, placeholder: placeholder, options: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the background for a state without reporting progress; see the overload with `progressBlock`.
    @MainActor @discardableResult
    public func setBackgroundImage(
        with source: Source?, for state: ControlState, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setBackgroundImage(
            with: source, for: state, placeholder: placeholder, options: options, progressBlock: nil,
            completionHandler: completionHandler)
    }

    /// Loads the background for a state from a resource without reporting progress; see the overload with
    /// `progressBlock`.
    @MainActor @discardableResult
    public func setBackgroundImage(
        with resource: (any Resource)?, for state: ControlState, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setBackgroundImage(
            with: resource?.convertToSource(), for: state, placeholder: placeholder, options: options,
            progressBlock: nil, completionHandler: completionHandler)
    }

    @MainActor @discardableResult
    package func setBackgroundImage(
        with source: Source?, for state: ControlState, placeholder: KFCrossPlatformImage?,
        parsedOptions: KingfisherParsedOptionsInfo, progressBlock: DownloadProgressBlock?,
        completionHandler: ViewCompletionHandler?
    ) -> DownloadTask? {
        base.target(.background(state), placeholder: placeholder).load(
            source, options: parsedOptions, progress: progressBlock, completion: completionHandler)
    }

    /// Cancels the loads of the backgrounds for all states. Each completes with a cancellation error.
    @MainActor public func cancelBackgroundImageDownloadTask() {
        base.loads.cancel(where: \.isBackground)
    }

    /// Identifies the load of the background for `state`, or nil.
    @MainActor public func backgroundTaskIdentifier(for state: ControlState) -> Source.Identifier.Value? {
        base.loads[.background(state)]?.identifier
    }
}
