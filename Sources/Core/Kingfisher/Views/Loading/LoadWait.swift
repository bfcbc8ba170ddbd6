/// A load that waits for its view: for a layout, for the end of fast scrolling, for its turn, or until the
/// view appears again.
///
/// The view owns it; it holds the view weakly. The load's completion is always called: by the load once it
/// has started, on cancellation, or with `notCurrentSourceTask` if another load replaced it or the view was
/// released.
@MainActor final class LoadWait {
    private var load: ViewLoad?
    /// Whether the view has left the screen, so that the load waits until a part of it is visible.
    let isSuspended: Bool
    let task: DownloadTask

    init(_ load: ViewLoad, of view: ImageView, isSuspended: Bool) {
        self.load = load
        self.isSuspended = isSuspended
        task = DownloadTask { [weak view, identifier = load.identifier] _ in
            CallbackQueue.mainCurrentOrAsync.execute {
                MainActor.assumeIsolated { view?.cancelWait(of: identifier) }
            }
        }
    }

    isolated deinit {
        load?.completeReplaced()
    }

    var identifier: Source.Identifier.Value? { load?.identifier }

    func mayStart(in view: ImageView) -> Bool {
        guard let load else { return false }
        let placement = view.loadPlacement
        return isSuspended
            ? placement.isSeen && !placement.isPassing : view.hasPlace(for: load, at: placement)
    }

    /// Ends the wait. The caller must start or finish the load.
    func take() -> ViewLoad? {
        defer { load = nil }
        return load
    }
}

extension ImageView {
    var loadPlacement: LoadPlacement {
        LoadPlacement(display: renderer?.display ?? .none, place: renderer?.scrollPlace)
    }

    /// Whether the view has no layout yet. A view that was laid out to an empty size has one.
    private var isWithoutLayout: Bool {
        guard let display = renderer?.display else { return false }
        return display.size.width <= 0 && display.size.height <= 0 && !display.isVisible
    }

    /// Whether a load may start now. An image in memory is shown immediately, unless it must be decoded to
    /// the size of a view without layout.
    func mayStart(_ load: ViewLoad) -> Bool {
        let decodesToViewSize = load.options.decodesToViewSize
        if decodesToViewSize, isWithoutLayout { return false }
        return hasPlace(for: load, at: loadPlacement)
            || load.isInMemory(decodedTo: decodesToViewSize ? decodedSize : nil)
    }

    fileprivate func hasPlace(for load: ViewLoad, at placement: LoadPlacement) -> Bool {
        if load.options.decodesToViewSize, isWithoutLayout { return false }
        if loading.loadsOnAppear, !placement.isOnScreen { return false }
        // A view that waits on a page that is hidden also comes after visible ones.
        let isAway = placement.isOutside || loading.wait != nil && !placement.isOnScreen
        return !placement.isPassing && (!isAway || offscreenLoads.admits(self))
    }

    func wait(with load: ViewLoad, isSuspended: Bool = false) -> DownloadTask {
        let wait = LoadWait(load, of: self, isSuspended: isSuspended)
        store(wait, as: \.wait)
        loading.current.adopt(wait.task, for: load.identifier)
        offscreenLoads.add(self)
        renderer?.viewDidChange(.scrolling)
        return wait.task
    }

    func startWaitingLoad() {
        guard let wait = loading.wait, wait.mayStart(in: self), let load = wait.take() else { return }
        store(nil, as: \.wait)
        if let task = ImageViewTarget(view: self, placeholder: nil).start(load) {
            wait.task.forward(to: task)
            updateRunningLoad()
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
