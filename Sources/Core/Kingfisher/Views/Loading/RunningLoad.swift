import Foundation

/// The running load of a view, which follows the view's place on screen.
@MainActor final class RunningLoad {
    let load: ViewLoad
    private(set) var wasSeen = false
    /// Counts appearances and disappearances, so that a timer of an earlier one has no effect.
    private var changes = 0
    private var isLeaving = false

    init(_ load: ViewLoad) {
        self.load = load
    }

    /// Returns the number of a disappearance that has just begun, or nil.
    func update(_ placement: LoadPlacement) -> Int? {
        if placement.isSeen { wasSeen = true }
        let leaves = wasSeen && !placement.isSeen
        guard leaves != isLeaving else { return nil }
        isLeaving = leaves
        changes += 1
        return leaves ? changes : nil
    }

    /// Makes a view that is away begin to disappear now.
    func restartDisappearance() {
        isLeaving = false
        changes += 1
    }

    func isStillAway(since change: Int) -> Bool { isLeaving && changes == change }
}

extension ImageView {
    /// Follows the view's place on screen until the load ends. Returns a task that remains valid if the load
    /// is cancelled off screen and started again.
    func follow(_ load: ViewLoad, _ work: DownloadTask) -> DownloadTask {
        let task = DownloadTask()
        task.forward(to: work)
        loading.current.adopt(task, for: load.identifier)
        store(RunningLoad(load), as: \.running)
        offscreenLoads.didStart(load, in: self)
        renderer?.viewDidChange(.scrolling)
        updateRunningLoad()
        return task
    }

    func loadDidEnd(_ identifier: Source.Identifier.Value) {
        offscreenLoads.didEnd(identifier)
        guard loading.running?.load.identifier == identifier else { return }
        store(nil, as: \.running)
        renderer?.viewDidChange(.scrolling)
    }

    /// Ends the state of a superseded load.
    func forgetLoad() {
        store(nil, as: \.wait)
        store(nil, as: \.running)
        store(nil, as: \.fitted)
    }

    /// Applies the view's place on screen to its load: priority, and cancellation after a while.
    func updateRunningLoad() {
        guard let running = loading.running, loading.current.isCurrent(running.load.identifier) else {
            return
        }
        let placement = loadPlacement
        let disappearance = running.update(placement)
        let requested = running.load.options.downloadPriority
        loading.current.task?.setPriority(placement.priority(requested, wasSeen: running.wasSeen))
        guard let disappearance, let delay = loading.cancelOnDisappear else { return }
        loading.timer.after(delay / .seconds(1)) { [weak self, weak running] in
            CallbackQueue.mainAsync.execute {
                MainActor.assumeIsolated {
                    guard let self, let running, running.isStillAway(since: disappearance) else { return }
                    if self.loading.cancelOnDisappear != nil { self.suspend(running) }
                }
            }
        }
    }

    /// Cancels the load without completing it; it starts again when the view appears.
    private func suspend(_ running: RunningLoad) {
        guard loading.running === running, let task = loading.current.task, !task.isCancelled else { return }
        let later = running.load.renumbered()
        guard loading.current.suspend(running.load.identifier, for: later.identifier) else { return }
        let waiting = wait(with: later, isSuspended: true)
        task.suspend(for: waiting)
    }
}
