import KingfisherImage

/// A target for a loaded image, such as an image view or a button's image for one state, with the placeholder
/// of one load. Created for each load.
///
/// It holds its object. A running load does not: if the object is released, the load goes on to the caches,
/// and completes like one that another load has replaced.
@MainActor protocol LoadTarget: Sendable {
    /// Returns the target, without its placeholder, while its object lives.
    var reference: @MainActor () -> Self? { get }
    var current: CurrentLoad { get }
    var shownImage: Image? { get }
    /// Prepares images for display; nil for a target that is not drawn.
    var renderer: (any ViewRenderer)? { get }
    /// The view whose size and place on screen the load follows, or nil.
    var fittedView: ImageView? { get }

    func adjust(_ options: inout KingfisherParsedOptionsInfo)
    func showPlaceholder(options: KingfisherParsedOptionsInfo)
    func startIndicator()
    func stopIndicator()
    /// Called when `current` has started or ended a load.
    func busyDidChange()
    /// Shows the loaded image, and calls `completion` after the transition.
    func show(
        _ result: RetrieveImageResult, options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void)
    /// Shows a preview or the `onFailureImage`, without a transition; nil for nothing.
    func showSubstitute(_ image: Image?, options: KingfisherParsedOptionsInfo)
}

extension LoadTarget {
    var fittedView: ImageView? { nil }
    func adjust(_ options: inout KingfisherParsedOptionsInfo) {}
    func startIndicator() {}
    func stopIndicator() {}
    func busyDidChange() {}

    /// Every `setImage` calls this function.
    func load(
        _ source: Source?, options: KingfisherParsedOptionsInfo, progress: DownloadProgressBlock?,
        completion: ViewCompletionHandler?
    ) -> DownloadTask? {
        // Ends the previous load's state before the identifier changes, because its completion is
        // asynchronous.
        fittedView?.forgetLoad()
        guard let source else {
            current.forget()
            stopIndicator()
            busyDidChange()
            showPlaceholder(options: options)
            completion?(.failure(.imageSettingError(reason: .emptySource)))
            return nil
        }
        var options = options
        adjust(&options)
        let keepsImage = options.keepCurrentImageWhileLoading && shownImage != nil
        let load = ViewLoad(
            identifier: Source.Identifier.next(), source: source, options: options,
            progress: ProgressRelay.carried(progress), completion: completion,
            lowResolution: keepsImage ? nil : options.lowResolution.map { LowResolution(of: $0) })
        current.begin(load.identifier)
        if options.watchesFile { current.add(FileWatch(load, reference), to: load.identifier) }
        busyDidChange()
        if !keepsImage, !showsSmallerImageInMemory(of: load) { showPlaceholder(options: options) }
        // Releasing the previous content may have run code of the application that started another load.
        guard current.isCurrent(load.identifier) else {
            completion?(.failure(.notCurrent(nil, source: source)))
            return nil
        }
        startIndicator()
        if let view = fittedView, !view.mayStart(load) { return view.wait(with: load) }
        return start(load)
    }

    func start(_ load: ViewLoad) -> DownloadTask? {
        let (current, reference) = (current, reference)
        let size = load.options.decodesToViewSize ? fittedView?.decodedSize : nil
        var options = load.options.decoding(to: size)
        // The image is prepared for display on the thread that delivers it, then passed to the main thread.
        options.callbackQueue = .untouch
        var plan = RequestPlan(
            load.source, options,
            progressBlock: load.progress.map { current.report(load.identifier, to: $0) },
            isCurrent: { current.isCurrent(load.identifier) })
        plan.isForView = true
        plan.downloadObserver = options.progressiveJPEG.map { previews(of: load, as: $0, options: options) }
        plan.willLoadSource = lowResolutionLoad(for: load, options: options)
        let renewal = options.httpCaching ? ImageRenewal() : nil
        if let renewal {
            plan.renewalObserver = { renewed in
                CallbackQueue.mainAsync.execute {
                    MainActor.assumeIsolated {
                        reference()?.show(renewed, inPlaceOf: renewal, for: load, decodedTo: size)
                    }
                }
            }
        }
        let task = load.manager.retrieveImage(
            plan, completionHandler: completion(of: load, renewal, decodedTo: size))
        // The task also covers the loads of alternative sources.
        if let task, let view = fittedView, current.isCurrent(load.identifier) {
            return view.follow(load, task)
        }
        current.adopt(task, for: load.identifier)
        return task
    }

    private func completion(
        of load: ViewLoad, _ renewal: ImageRenewal?, decodedTo size: DecodedSize?
    ) -> @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void {
        let (current, reference, offscreenLoads) = (current, reference, fittedView?.offscreenLoads)
        return { [weak renderer = renderer] result in
            let image = try? result.get().image
            if !MainQueue.isCurrent, let image, current.isCurrent(load.identifier) {
                renderer?.prepare(image)
            }
            CallbackQueue.mainCurrentOrAsync.execute {
                MainActor.assumeIsolated {
                    renewal?.old = image
                    if let target = reference() {
                        return target.finish(load, with: result, decodedTo: size)
                    }
                    offscreenLoads?.didEnd(load.identifier)
                    // A suspended load continues as another one, which completes.
                    if current.end(load.identifier) != .suspended { load.completeReplaced(with: result) }
                }
            }
        }
    }

    func finish(
        _ load: ViewLoad, with result: Result<RetrieveImageResult, KingfisherError>,
        decodedTo size: DecodedSize? = nil
    ) {
        let (options, completion) = (load.options, load.completion)
        fittedView?.loadDidEnd(load.identifier)
        switch current.end(load.identifier) {
        case .ended: break
        case .suspended: return
        case .superseded:
            completion?(.failure(.notCurrent(result, source: load.source)))
            return
        }
        stopIndicator()
        busyDidChange()
        switch result {
        case .success(let value):
            let watch = current.watch
            display(
                value, options: options, with: load.transitionOptions(from: shownImage), decodedTo: size
            ) { [reference] in
                // A transition ends when its view is released.
                if reference() == nil { return load.completeReplaced(with: result) }
                completion?(result)
            }
            watch?.loadDidEnd(isSuccess: true)
        case .failure(let error):
            let watch = current.watch
            if error.isUserCancellation { current.endWatch() }
            if let image = options.onFailureImage { showSubstitute(image, options: options) }
            completion?(result)
            watch?.loadDidEnd(isSuccess: false)
        }
    }

    /// Shows a loaded image that follows the display of its view.
    func display(
        _ result: RetrieveImageResult, options: KingfisherParsedOptionsInfo,
        with transition: KingfisherParsedOptionsInfo, decodedTo size: DecodedSize?,
        completion: @escaping @MainActor () -> Void = {}
    ) {
        result.noteDisplay(with: options.decoding(to: size))
        fittedView?.store(FittedImage(result, options: options, size: size), as: \.fitted)
        show(result, options: transition, completion: completion)
        // The view's layout may have changed during the load.
        fittedView?.followDisplayLater()
    }
}

extension CurrentLoad {
    fileprivate func report(
        _ identifier: Source.Identifier.Value, to progress: @escaping SendableProgressBlock
    ) -> SendableProgressBlock {
        { received, total in
            if self.isCurrent(identifier) { progress(received, total) }
        }
    }
}

extension ViewLoad {
    /// Completes the load with `notCurrentSourceTask` and its outcome, if it has one. Asynchronously: this
    /// may run in the deinitializer of the view, or inside its next `setImage`.
    func completeReplaced(with result: Result<RetrieveImageResult, KingfisherError>? = nil) {
        guard let completion else { return }
        CallbackQueue.mainAsync.execute { [source] in
            MainActor.assumeIsolated { completion(.failure(.notCurrent(result, source: source))) }
        }
    }
}

extension KingfisherError {
    fileprivate static func notCurrent(
        _ result: Result<RetrieveImageResult, KingfisherError>?, source: Source
    ) -> KingfisherError {
        switch result {
        case .success(let value):
            .imageSettingError(reason: .notCurrentSourceTask(result: value, error: nil, source: source))
        case .failure(let error):
            .imageSettingError(reason: .notCurrentSourceTask(result: nil, error: error, source: source))
        case nil:
            .imageSettingError(reason: .notCurrentSourceTask(result: nil, error: nil, source: source))
        }
    }
}
