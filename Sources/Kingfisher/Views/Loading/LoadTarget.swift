import KingfisherImage

/// One place that takes a loaded image, such as an image view or a button's image for one state, together
/// with the placeholder of one load. Made for each load.
@MainActor protocol LoadTarget: Sendable {
    /// Which load the place waits for.
    var current: CurrentLoad { get }
    /// The image in the place, which a load may keep until it has its own.
    var shownImage: Image? { get }
    /// What readies images for the screen; nil for a place that nothing draws.
    var renderer: (any ViewRenderer)? { get }
    /// The view to whose size on screen images may be decoded; nil where the place's size is not known.
    var fittedView: ImageView? { get }

    /// Lets the place ask for what suits it, whatever the caller's options say.
    func adjust(_ options: inout KingfisherParsedOptionsInfo)
    /// Puts the placeholder in the place of the image; the place is empty without one.
    func showPlaceholder(options: KingfisherParsedOptionsInfo)
    /// Tells that a load is under way.
    func startIndicator()
    /// Tells that no load is under way any more.
    func stopIndicator()
    /// Shows the image that was loaded, and calls `completion` once it stands.
    func show(
        _ result: RetrieveImageResult, options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void)
    /// Shows, without a transition, what stands for the image: part of it while it comes, or what the
    /// options name for one that could not be loaded; nil for nothing.
    func showSubstitute(_ image: Image?, options: KingfisherParsedOptionsInfo)
}

extension LoadTarget {
    var fittedView: ImageView? { nil }
    func adjust(_ options: inout KingfisherParsedOptionsInfo) {}
    func startIndicator() {}
    func stopIndicator() {}

    /// The one way through which every `setImage` goes.
    func load(
        _ source: Source?, options: KingfisherParsedOptionsInfo, progress: DownloadProgressBlock?,
        completion: ViewCompletionHandler?
    ) -> DownloadTask? {
        // What the view had for its last load; before the identifier changes, as ends are told
        // asynchronously.
        fittedView?.keep(nil, as: \.wait)
        fittedView?.keep(nil, as: \.fitted)
        guard let source else {
            current.forget()
            stopIndicator()
            showPlaceholder(options: options)
            completion?(.failure(.imageSettingError(reason: .emptySource)))
            return nil
        }
        var options = options
        adjust(&options)
        let load = ViewLoad(
            identifier: Source.Identifier.next(), source: source, options: options,
            progress: ProgressRelay.carried(progress), completion: completion)
        current.begin(load.identifier)
        if !options.keepCurrentImageWhileLoading || shownImage == nil { showPlaceholder(options: options) }
        // What the placeholder took the place of may have run the user's code, and that begun another load.
        guard current.isCurrent(load.identifier) else {
            let error = KingfisherError.imageSettingError(
                reason: .notCurrentSourceTask(result: nil, error: nil, source: source))
            completion?(.failure(error))
            return nil
        }
        startIndicator()
        if options.decodesToViewSize, let view = fittedView, view.waitsForLayout {
            return view.wait(with: load)
        }
        return start(load)
    }

    /// Has the manager answer `load`: at once with an image in memory, later in every other case.
    func start(_ load: ViewLoad) -> DownloadTask? {
        let (current, renderer) = (current, renderer)
        let size = load.options.decodesToViewSize ? fittedView?.decodedSize : nil
        var options = load.options.decoding(to: size)
        // The answer is readied for the screen where it is given; only then it goes to the main thread.
        options.change { groups in
            groups.delivery.callbackQueue = .untouch
            groups.view.isForView = true
        }
        if let progressive = options.progressiveJPEG {
            options.downloadObserver = previews(of: load, as: progressive, options: options)
        }
        let renewal = options.httpCaching ? ImageRenewal() : nil
        if let renewal {
            options.renewalObserver = { show($0, inPlaceOf: renewal, for: load, decodedTo: size) }
        }
        // The closures hold the view: a load that was asked for shows its result even when nobody else does.
        let task = (options.manager ?? .shared).retrieveImage(
            with: load.source, options: options,
            progressBlock: load.progress.map { current.report(load.identifier, to: $0) },
            isCurrent: { current.isCurrent(load.identifier) },
            completionHandler: { result in
                if !MainQueue.isCurrent, case .success(let value) = result, current.isCurrent(load.identifier)
                {
                    renderer?.prepare(value.image)
                }
                CallbackQueue.mainCurrentOrAsync.execute {
                    MainActor.assumeIsolated {
                        renewal?.old = try? result.get().image
                        finish(load, with: result, decodedTo: size)
                    }
                }
            })
        // It cancels an alternative source's load as well, so there is no other to wait for.
        current.adopt(task, for: load.identifier)
        return task
    }

    /// Ends `load` with its answer; `size` is what its image was decoded to for the view, if for any.
    func finish(
        _ load: ViewLoad, with result: Result<RetrieveImageResult, KingfisherError>,
        decodedTo size: DecodedSize? = nil
    ) {
        let (options, completion) = (load.options, load.completion)
        guard current.end(load.identifier) else {
            completion?(.failure(.notCurrent(result, source: load.source)))
            return
        }
        stopIndicator()
        switch result {
        case .success(let value):
            fittedView?.keep(size.map { FittedImage(value, options: options, size: $0) }, as: \.fitted)
            show(value, options: options) { completion?(result) }
            // The view's place may have changed while the image was on its way.
            fittedView?.followDisplayLater()
        case .failure:
            if let image = options.onFailureImage { showSubstitute(image, options: options) }
            completion?(result)
        }
    }
}

extension CurrentLoad {
    /// Hands progress of `identifier` on while the view waits for it.
    fileprivate func report(
        _ identifier: Source.Identifier.Value, to progress: @escaping SendableProgressBlock
    ) -> SendableProgressBlock {
        { received, total in
            if self.isCurrent(identifier) { progress(received, total) }
        }
    }
}

extension KingfisherError {
    /// The answer to a load whose view waits for another one by now; carries its own outcome.
    fileprivate static func notCurrent(
        _ result: Result<RetrieveImageResult, KingfisherError>, source: Source
    ) -> KingfisherError {
        switch result {
        case .success(let value):
            .imageSettingError(reason: .notCurrentSourceTask(result: value, error: nil, source: source))
        case .failure(let error):
            .imageSettingError(reason: .notCurrentSourceTask(result: nil, error: error, source: source))
        }
    }
}
