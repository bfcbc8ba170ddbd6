/// A load that waits for its view to be laid out, because its image is decoded to the view's size.
///
/// The view owns it; it holds the view weakly. The load's completion is always called: by the load once it
/// has started, on cancellation, or with `notCurrentSourceTask` if another load replaced it or the view was
/// released.
@MainActor final class LayoutWait {
    private var load: ViewLoad?
    let task: DownloadTask

    init(_ load: ViewLoad, of view: ImageView) {
        self.load = load
        task = DownloadTask { [weak view, identifier = load.identifier] _ in
            CallbackQueue.mainCurrentOrAsync.execute {
                MainActor.assumeIsolated { view?.cancelWait(of: identifier) }
            }
        }
    }

    isolated deinit {
        guard let load, let completion = load.completion else { return }
        // Asynchronously: this may run in the deinitializer of the view, or inside its next `setImage`.
        CallbackQueue.mainAsync.execute {
            let error = KingfisherError.imageSettingError(
                reason: .notCurrentSourceTask(result: nil, error: nil, source: load.source))
            MainActor.assumeIsolated { completion(.failure(error)) }
        }
    }

    var identifier: Source.Identifier.Value? { load?.identifier }

    /// Ends the wait. The caller must start or finish the load.
    func take() -> ViewLoad? {
        defer { load = nil }
        return load
    }
}

extension ImageView {
    /// Whether the view has no layout yet. A view that was laid out to an empty size has one.
    var waitsForLayout: Bool {
        guard let display = renderer?.display else { return false }
        return display.size.width <= 0 && display.size.height <= 0 && !display.isVisible
    }

    func wait(with load: ViewLoad) -> DownloadTask {
        let wait = LayoutWait(load, of: self)
        store(wait, as: \.wait)
        loading.current.adopt(wait.task, for: load.identifier)
        return wait.task
    }

    func startWaitingLoad() {
        guard !waitsForLayout, let wait = loading.wait, let load = wait.take() else { return }
        store(nil, as: \.wait)
        if let task = ImageViewTarget(view: self, placeholder: nil).start(load) {
            wait.task.forward(to: task)
        } else {
            wait.task.end()
        }
    }

    fileprivate func cancelWait(of identifier: Source.Identifier.Value) {
        guard let wait = loading.wait, wait.identifier == identifier, let load = wait.take() else { return }
        store(nil, as: \.wait)
        ImageViewTarget(view: self, placeholder: nil).finish(
            load, with: .failure(.cancelled(load.source, task: wait.task)))
    }
}
