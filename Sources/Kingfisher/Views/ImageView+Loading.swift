import KingfisherImage

extension ImageView {
    /// The one way through which every `setImage` goes.
    func load(
        _ source: Source?, placeholder: (any Placeholder)?, options: KingfisherOptionsInfo?,
        progress: ViewProgressBlock?, completion: ViewCompletionHandler?
    ) -> DownloadTask? {
        show(placeholder)
        guard let source else {
            loading.current.forget()
            loading.indicator?.stopAnimatingView()
            completion?(.failure(.imageSettingError(reason: .emptySource)))
            return nil
        }

        let manager = KingfisherManager.shared
        var options = manager.parsedOptions(options)
        options.preloadAllAnimationData = true
        // The view's own work belongs on the main thread, so that is where it asks the answer to be given.
        options.callbackQueue = .mainCurrentOrAsync
        let transition = options.transition
        let forcesTransition = options.forceTransition

        let identifier = Source.Identifier.next()
        let current = loading.current
        current.begin(identifier)
        loading.indicator?.startAnimatingView()

        // The closures hold the view: a load that was asked for shows its result even when nobody else does.
        let task = manager.retrieveImage(
            with: source, options: options,
            progressBlock: progress.map { current.report(identifier, to: $0) },
            isCurrent: { current.isCurrent(identifier) },
            completionHandler: { result in
                CallbackQueue.mainCurrentOrAsync.execute {
                    MainActor.assumeIsolated {
                        self.finish(
                            identifier, of: source, with: result, transition: transition,
                            forced: forcesTransition, completion: completion)
                    }
                }
            })
        current.adopt(task, for: identifier)
        return task
    }

    private func finish(
        _ identifier: Source.Identifier.Value, of source: Source,
        with result: Result<RetrieveImageResult, KingfisherError>, transition kind: ImageTransition,
        forced: Bool, completion: ViewCompletionHandler?
    ) {
        guard loading.current.end(identifier) else {
            completion?(.failure(.notCurrent(result, source: source)))
            return
        }
        loading.indicator?.stopAnimatingView()
        guard case .success(let value) = result else {
            completion?(result)
            return
        }
        // A picture that was at hand appears at once; only one that had to be waited for is announced.
        let wasAwaited = forced || value.cacheType == .none
        transition(wasAwaited ? kind : .none) {
            show(nil)
            image = value.image
        } completion: { _ in
            completion?(result)
        }
    }

    /// Puts `placeholder` in the place of the picture; nil leaves the view empty.
    private func show(_ placeholder: (any Placeholder)?) {
        loading.placeholder?.remove(from: self)
        loading.placeholder = placeholder
        // An image placeholder takes the picture's place in one step; any other lies over an empty view.
        if !(placeholder is Image) { image = nil }
        placeholder?.add(to: self)
    }

    /// Takes the old indicator away and makes the one of `type`, hidden.
    func install(_ type: IndicatorType) {
        loading.indicator?.view.removeFromSuperview()
        loading.indicatorType = type
        switch type {
        case .none:
            loading.indicator = nil
        case .activity:
            let indicator = ActivityIndicator()
            loading.indicator = indicator
            indicator.view.isHidden = true
            indicator.view.placement = placement(of: indicator)
            addSubview(indicator.view)
            if loading.current.identifier != nil { indicator.startAnimatingView() }
        }
    }

    private func placement(of indicator: any Indicator) -> ViewPlacement {
        switch indicator.sizeStrategy(in: self) {
        case .intrinsicSize: .center(offset: indicator.centerOffset)
        case .size(let size): .center(size: size, offset: indicator.centerOffset)
        case .full: .fill
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
