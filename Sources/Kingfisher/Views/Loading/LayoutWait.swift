/// A load that waits for its view to be laid out, since its image is decoded to the view's size.
///
/// Owned by the view, which it does not hold: nobody else would ever lay it out. Whatever ends the wait, the
/// load's completion is called: by the load once it has begun, with its cancellation, or, when another load
/// took its place or the view has gone, as one that is not current.
@MainActor final class LayoutWait {
    private var load: ViewLoad?
    /// Stands for the load from the start.
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
        // Not from here: this may be the view's last moment, or the middle of its next `setImage`.
        CallbackQueue.mainAsync.execute {
            let error = KingfisherError.imageSettingError(
                reason: .notCurrentSourceTask(result: nil, error: nil, source: load.source))
            MainActor.assumeIsolated { completion(.failure(error)) }
        }
    }

    var identifier: Source.Identifier.Value? { load?.identifier }

    /// Ends the wait; the caller sees to the load.
    func take() -> ViewLoad? {
        defer { load = nil }
        return load
    }
}

extension ImageView {
    /// Whether an image cannot be decoded to the view's size yet. A view that is laid out to nothing has a
    /// size.
    var waitsForLayout: Bool {
        guard let display = renderer?.display else { return false }
        return display.size.width <= 0 && display.size.height <= 0 && !display.isVisible
    }

    /// Puts `load` off until the view is laid out.
    func wait(with load: ViewLoad) -> DownloadTask {
        let wait = LayoutWait(load, of: self)
        keep(wait, as: \.wait)
        loading.current.adopt(wait.task, for: load.identifier)
        return wait.task
    }

    /// Begins the load that has waited for a layout, once there is one.
    func startWaitingLoad() {
        guard !waitsForLayout, let wait = loading.wait, let load = wait.take() else { return }
        keep(nil, as: \.wait)
        if let task = ImageViewTarget(view: self, placeholder: nil).start(load) {
            wait.task.hand(to: task)
        } else {
            wait.task.end()
        }
    }

    fileprivate func cancelWait(of identifier: Source.Identifier.Value) {
        guard let wait = loading.wait, wait.identifier == identifier, let load = wait.take() else { return }
        keep(nil, as: \.wait)
        ImageViewTarget(view: self, placeholder: nil).finish(
            load, with: .failure(.cancelled(load.source, task: wait.task)))
    }
}
