public import KingfisherImage

extension KingfisherWrapper where Base: KFCrossPlatformButton {
    /// Loads the image of a pressed or selected button from caches or its source.
    ///
    /// The placeholder, or nothing, is shown while loading; an image in memory is shown before the call
    /// returns. An earlier load of the same image slot completes with `notCurrentSourceTask`; its download is
    /// not cancelled if it has started. The button's other images are loaded independently.
    ///
    /// - Parameters:
    ///   - source: the source of the image; nil shows the placeholder and completes with `emptySource`.
    ///   - placeholder: shown while loading, and after a failure.
    ///   - options: added to the manager's `defaultOptions`; later ones win.
    ///   - progressBlock: called on the main thread, if the size is known.
    ///   - completionHandler: called once, on the main thread.
    /// - Returns: a task that cancels the load; nil if it has completed.
    @MainActor @discardableResult
    public func setAlternateImage(
        with source: Source?, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: source, placeholder: placeholder,
            parsedOptions: KingfisherManager.viewOptions(options), progressBlock: progressBlock,
            completionHandler: completionHandler)
    }

    /// Loads the alternate image from a resource, such as a `URL`; see the overload for `Source`.
    @MainActor @discardableResult
    public func setAlternateImage(
        with resource: (any Resource)?, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: resource?.convertToSource(), placeholder: placeholder, options: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the alternate image without reporting progress; see the overload with `progressBlock`.
    @MainActor @discardableResult
    public func setAlternateImage(
        with source: Source?, placeholder: KFCrossPlatformImage? = nil, options: KingfisherOptionsInfo? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: source, placeholder: placeholder, options: options, progressBlock: nil,
            completionHandler: completionHandler)
    }

    /// Loads the alternate image from a resource without reporting progress; see the overload with
    /// `progressBlock`.
    @MainActor @discardableResult
    public func setAlternateImage(
        with resource: (any Resource)?, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: resource?.convertToSource(), placeholder: placeholder, options: options, progressBlock: nil,
            completionHandler: completionHandler)
    }

    @MainActor @discardableResult
    package func setAlternateImage(
        with source: Source?, placeholder: KFCrossPlatformImage?,
        parsedOptions: KingfisherParsedOptionsInfo, progressBlock: DownloadProgressBlock?,
        completionHandler: ViewCompletionHandler?
    ) -> DownloadTask? {
        base.target(.alternate, placeholder: placeholder).load(
            source, options: parsedOptions, progress: progressBlock, completion: completionHandler)
    }

    /// Cancels the load of the alternate image. It completes with a cancellation error.
    @MainActor public func cancelAlternateImageDownloadTask() {
        base.loads[.alternate]?.cancel()
    }

    /// Identifies the load of the alternate image, or nil.
    @MainActor public var alternateTaskIdentifier: Source.Identifier.Value? {
        base.loads[.alternate]?.identifier
    }
}
