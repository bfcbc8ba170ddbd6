public import KingfisherImage

extension KingfisherWrapper where Base: TextAttachment {
    /// Loads the image of an attachment from caches or its source.
    ///
    /// The placeholder, or nothing, is shown until then; an image in memory is shown before the call
    /// returns. A load that this one takes the place of completes with `notCurrentSourceTask`; its download
    /// is not cancelled once it has begun. Manager and default options are those of
    /// `KingfisherManager.shared`.
    ///
    /// - Parameters:
    ///   - source: where the image comes from; nil shows the placeholder and completes with `emptySource`.
    ///   - attributedView: the view with the text; evaluated on the main thread when the image is there,
    ///     and then drawn again. What it names is kept until the load ends.
    ///   - placeholder: what is shown while loading, and after a failure.
    ///   - options: added to the manager's `defaultOptions`; the later wins.
    ///   - progressBlock: bytes so far and expected, on the main thread, while the size is known.
    ///   - completionHandler: called once, on the main thread.
    /// - Returns: a task to cancel the load with; nil when it has completed already.
    @MainActor @discardableResult
    public func setImage(
        with source: Source?, attributedView: @autoclosure @escaping @MainActor () -> KFCrossPlatformView,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: source, attributedView: attributedView, placeholder: placeholder,
            parsedOptions: KingfisherManager.viewOptions(options), progressBlock: progressBlock,
            completionHandler: completionHandler)
    }

    /// Loads the image of an attachment from a resource, such as a `URL`; see the overload for `Source`.
    @MainActor @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        attributedView: @autoclosure @escaping @MainActor () -> KFCrossPlatformView,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(), attributedView: attributedView(), placeholder: placeholder,
            options: options, progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the image of an attachment without reporting progress; see the overload with `progressBlock`.
    @MainActor @discardableResult
    public func setImage(
        with source: Source?,
        attributedView: @autoclosure @escaping @MainActor () -> KFCrossPlatformView,
        placeholder: KFCrossPlatformImage? = nil, options: KingfisherOptionsInfo? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: source, attributedView: attributedView(), placeholder: placeholder, options: options,
            progressBlock: nil, completionHandler: completionHandler)
    }

    /// Loads the image of an attachment from a resource without reporting progress; see the overload with
    /// `progressBlock`.
    @MainActor @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        attributedView: @autoclosure @escaping @MainActor () -> KFCrossPlatformView,
        placeholder: KFCrossPlatformImage? = nil, options: KingfisherOptionsInfo? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(), attributedView: attributedView(), placeholder: placeholder,
            options: options,
            progressBlock: nil, completionHandler: completionHandler)
    }

    /// Loads the image of an attachment with options that are complete: those of the manager are not added.
    @MainActor @discardableResult
    package func setImage(
        with source: Source?, attributedView: @escaping @MainActor () -> KFCrossPlatformView,
        placeholder: KFCrossPlatformImage?,
        parsedOptions: KingfisherParsedOptionsInfo, progressBlock: DownloadProgressBlock?,
        completionHandler: ViewCompletionHandler?
    ) -> DownloadTask? {
        let base = base
        return ImageTarget(
            current: base.currentLoad, placeholder: placeholder, image: { base.image },
            setImage: { image, _ in base.image = image }, didChange: { attributedView().setNeedsDisplay() }
        ).load(source, options: parsedOptions, progress: progressBlock, completion: completionHandler)
    }

    /// Cancels the load that the attachment waits for, wherever it is: disk, network or processing.
    ///
    /// Its completion handler is called with the error of the cancellation. Does nothing without such a load.
    @MainActor public func cancelDownloadTask() {
        base.currentLoad.cancel()
    }

    /// Identifies the load that the attachment waits for; nil while it waits for none.
    @MainActor public var taskIdentifier: Source.Identifier.Value? {
        base.currentLoad.identifier
    }
}
