public import KingfisherImage

extension KingfisherWrapper where Base: TextAttachment {
    /// Loads the image of an attachment from caches or its source.
    ///
    /// The placeholder, or nothing, is shown while loading; an image in memory is shown before the call
    /// returns. An earlier load of the attachment completes with `notCurrentSourceTask`; its download is not
    /// cancelled if it has started. The manager is `KingfisherManager.shared`, whose default options apply.
    ///
    /// - Parameters:
    ///   - source: the source of the image; nil shows the placeholder and completes with `emptySource`.
    ///   - attributedView: the view that contains the text. It is evaluated on the main thread once the image
    ///     is loaded, and then redrawn. Objects that it captures are retained until the load ends.
    ///   - placeholder: shown while loading, and after a failure.
    ///   - options: added to the manager's `defaultOptions`; later ones win.
    ///   - progressBlock: called on the main thread, if the size is known.
    ///   - completionHandler: called once, on the main thread.
    /// - Returns: a task that cancels the load; nil if it has completed.
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

    @MainActor @discardableResult
    package func setImage(
        with source: Source?, attributedView: @escaping @MainActor () -> KFCrossPlatformView,
        placeholder: KFCrossPlatformImage?,
        parsedOptions: KingfisherParsedOptionsInfo, progressBlock: DownloadProgressBlock?,
        completionHandler: ViewCompletionHandler?
    ) -> DownloadTask? {
        ImageTarget(
            owner: base, current: base.currentLoad, placeholder: placeholder, image: { $0.image },
            setImage: { attachment, image, _ in attachment.image = image },
            didChange: { attributedView().setNeedsDisplay() }
        ).load(source, options: parsedOptions, progress: progressBlock, completion: completionHandler)
    }

    /// Cancels the current load at any stage: disk, network or processing.
    ///
    /// Its completion handler is called with a cancellation error. Does nothing if there is no load.
    @MainActor public func cancelDownloadTask() {
        base.currentLoad.cancel()
    }

    /// The identifier of the current load, or nil.
    @MainActor public var taskIdentifier: Source.Identifier.Value? {
        base.currentLoad.identifier
    }
}
