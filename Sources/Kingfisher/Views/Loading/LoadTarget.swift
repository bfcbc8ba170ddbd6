import KingfisherImage

/// One place that takes a loaded picture, such as an image view or a button's image for one state, together
/// with the placeholder of one load. Made for each load.
@MainActor protocol LoadTarget: Sendable {
    /// Which load the place waits for.
    var current: CurrentLoad { get }
    /// Whether a picture is shown that a load may keep until it has its own.
    var hasImage: Bool { get }
    /// What readies pictures for the screen; nil for a place that nothing draws.
    var renderer: (any ViewRenderer)? { get }

    /// Lets the place ask for what suits it, whatever the caller's options say.
    func adjust(_ options: inout KingfisherParsedOptionsInfo)
    /// Puts the placeholder in the place of the picture; the place is empty without one.
    func showPlaceholder(options: KingfisherParsedOptionsInfo)
    /// Tells that a load is under way.
    func startIndicator()
    /// Tells that no load is under way any more.
    func stopIndicator()
    /// Shows the picture that was loaded, and calls `completion` once it stands.
    func show(
        _ result: RetrieveImageResult, options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void)
    /// Shows what stands for a picture that could not be loaded; nil for nothing.
    func showFailure(_ image: Image?, options: KingfisherParsedOptionsInfo)
}

extension LoadTarget {
    func adjust(_ options: inout KingfisherParsedOptionsInfo) {}
    func startIndicator() {}
    func stopIndicator() {}

    /// The one way through which every `setImage` goes.
    func load(
        _ source: Source?, options: KingfisherParsedOptionsInfo, progress: ViewProgressBlock?,
        completion: ViewCompletionHandler?
    ) -> DownloadTask? {
        guard let source else {
            showPlaceholder(options: options)
            current.forget()
            stopIndicator()
            completion?(.failure(.imageSettingError(reason: .emptySource)))
            return nil
        }
        var options = options
        adjust(&options)
        // The view's own work belongs on the main thread, so that is where it asks the answer to be given.
        options.callbackQueue = .mainCurrentOrAsync
        if !options.keepCurrentImageWhileLoading || !hasImage { showPlaceholder(options: options) }

        let identifier = Source.Identifier.next()
        let current = current
        current.begin(identifier)
        startIndicator()

        // The closures hold the view: a load that was asked for shows its result even when nobody else does.
        let task = KingfisherManager.shared.retrieveImage(
            with: source, options: options,
            progressBlock: progress.map { current.report(identifier, to: $0) },
            isCurrent: { current.isCurrent(identifier) },
            completionHandler: { [options] result in
                CallbackQueue.mainCurrentOrAsync.execute {
                    MainActor.assumeIsolated {
                        finish(identifier, of: source, with: result, options: options, completion: completion)
                    }
                }
            })
        // It cancels an alternative source's load as well, so there is no other to wait for.
        current.adopt(task, for: identifier)
        return task
    }

    private func finish(
        _ identifier: Source.Identifier.Value, of source: Source,
        with result: Result<RetrieveImageResult, KingfisherError>, options: KingfisherParsedOptionsInfo,
        completion: ViewCompletionHandler?
    ) {
        guard current.end(identifier) else {
            completion?(.failure(.notCurrent(result, source: source)))
            return
        }
        stopIndicator()
        switch result {
        case .success(let value):
            show(value, options: options) { completion?(result) }
        case .failure:
            if let image = options.onFailureImage { showFailure(image, options: options) }
            completion?(result)
        }
    }
}

extension CurrentLoad {
    /// Hands progress of `identifier` on while the view waits for it.
    fileprivate func report(
        _ identifier: Source.Identifier.Value, to progress: @escaping ViewProgressBlock
    ) -> DownloadProgressBlock {
        { received, total in
            guard self.isCurrent(identifier) else { return }
            // The manager reports on the main queue only.
            MainActor.assumeIsolated { progress(received, total) }
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
