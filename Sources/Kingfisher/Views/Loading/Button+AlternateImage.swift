public import KingfisherImage

extension KingfisherWrapper where Base: KFCrossPlatformButton {
    /// Loads the image of a pressed or switched-on button from caches or its source.
    ///
    /// The placeholder, or nothing, is shown until then; an image in memory is shown before the call
    /// returns. An earlier load for the same use completes with `notCurrentSourceTask`; its download is not
    /// cancelled once it has begun. The button's other images are loaded independently.
    ///
    /// - Parameters:
    ///   - source: where the image comes from; nil shows the placeholder and completes with `emptySource`.
    ///   - placeholder: what is shown while loading, and after a failure.
    ///   - options: added to the manager's `defaultOptions`; the later wins.
    ///   - progressBlock: bytes so far and expected, on the main thread, while the size is known.
    ///   - completionHandler: called once, on the main thread.
    /// - Returns: a task to cancel the load with; nil when it has completed already.
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

    /// Loads the alternate image with options that are complete: those of the manager are not added.
    @MainActor @discardableResult
    package func setAlternateImage(
        with source: Source?, placeholder: KFCrossPlatformImage?,
        parsedOptions: KingfisherParsedOptionsInfo, progressBlock: DownloadProgressBlock?,
        completionHandler: ViewCompletionHandler?
    ) -> DownloadTask? {
        base.target(.alternate, placeholder: placeholder).load(
            source, options: parsedOptions, progress: progressBlock, completion: completionHandler)
    }

    /// Cancels the load of the alternate image. It completes with the error of the cancellation.
    @MainActor public func cancelAlternateImageDownloadTask() {
        base.loads[.alternate]?.cancel()
    }

    /// Identifies the load of the alternate image; nil while there is none.
    @MainActor public var alternateTaskIdentifier: Source.Identifier.Value? {
        base.loads[.alternate]?.identifier
    }
}
