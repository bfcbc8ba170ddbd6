public import KingfisherImage

extension KingfisherWrapper where Base: KFCrossPlatformButton {
    /// Loads the image for a state of the button from caches or its source.
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
    public func setImage(
        with source: Source?, for state: ControlState, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: source, for: state, placeholder: placeholder,
            parsedOptions: KingfisherManager.viewOptions(options), progressBlock: progressBlock,
            completionHandler: completionHandler)
    }

    /// Loads the image for a state from a resource, such as a `URL`; see the overload for `Source`.
    @MainActor @discardableResult
    public func setImage(
        with resource: (any Resource)?, for state: ControlState, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(), for: state, placeholder: placeholder, options: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the image for a state without reporting progress; see the overload with `progressBlock`.
    @MainActor @discardableResult
    public func setImage(
        with source: Source?, for state: ControlState, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: source, for: state, placeholder: placeholder, options: options, progressBlock: nil,
            completionHandler: completionHandler)
    }

    /// Loads the image for a state from a resource without reporting progress; see the overload with
    /// `progressBlock`.
    @MainActor @discardableResult
    public func setImage(
        with resource: (any Resource)?, for state: ControlState, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(), for: state, placeholder: placeholder, options: options,
            progressBlock: nil, completionHandler: completionHandler)
    }

    @MainActor @discardableResult
    public func setImage(
        with source: Source?, for state: ControlState, placeholder: KFCrossPlatformImage? = nil,
        parsedOptions: KingfisherParsedOptionsInfo, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        base.target(.image(state), placeholder: placeholder).load(
            source, options: parsedOptions, progress: progressBlock, completion: completionHandler)
    }

    /// Loads the image for the normal state; see the overload with a state.
    @MainActor @discardableResult
    public func setImage(
        with source: Source?, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: source, for: .normal, placeholder: placeholder, options: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the image for the normal state from a resource, such as a `URL`; see the overload with a
    /// state.
    @MainActor @discardableResult
    public func setImage(
        with resource: (any Resource)?, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(), for: .normal, placeholder: placeholder, options: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the image for the normal state without reporting progress; see the overload with
    /// `progressBlock`.
    @MainActor @discardableResult
    public func setImage(
        with source: Source?, placeholder: KFCrossPlatformImage? = nil, options: KingfisherOptionsInfo? = nil,
        completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: source, placeholder: placeholder, options: options, progressBlock: nil,
            completionHandler: completionHandler)
    }

    /// Loads the image for the normal state from a resource without reporting progress; see the overload
    /// with `progressBlock`.
    @MainActor @discardableResult
    public func setImage(
        with resource: (any Resource)?, placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil, completionHandler: ViewCompletionHandler? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(), placeholder: placeholder, options: options, progressBlock: nil,
            completionHandler: completionHandler)
    }

    /// Cancels the loads of the images for all states. Each completes with a cancellation error.
    @MainActor public func cancelImageDownloadTask() {
        base.loads.cancel(where: \.isImage)
    }

    /// Cancels all loads of the button and removes the images of their places, so that it can show another
    /// item.
    ///
    /// Completion handlers are called with an error, and what they show in such a place is also removed. An
    /// image in a place without a load stays.
    @MainActor public func prepareForReuse() {
        base.empty()
    }

    /// Identifies the load of the image for the normal state, or nil.
    @MainActor public var taskIdentifier: Source.Identifier.Value? {
        taskIdentifier(for: .normal)
    }

    /// Identifies the load of the image for `state`, or nil.
    @MainActor public func taskIdentifier(for state: ControlState) -> Source.Identifier.Value? {
        base.loads[.image(state)]?.identifier
    }
}

extension Button {
    fileprivate func empty() {
        loads.cancel { _ in true }
        for (slot, load) in loads.all {
            // As in an image view: a load that does not stop at once must not show its failure later.
            load.forget()
            self[slot] = nil
        }
        accessibilityDidChange()
    }

    func target(_ slot: ButtonSlot, placeholder: Image?) -> ImageTarget<Button> {
        ImageTarget(
            owner: self, current: loads.load(of: slot), placeholder: placeholder, image: { $0[slot] },
            setImage: { button, image, _ in button[slot] = image })
    }
}
