import KingfisherGTK

@MainActor final class Watch {
    private var task: Task<Void, Never>?

    /// Starts the calls; no effect if already started.
    func start(
        while widget: Widget, every interval: Duration, _ update: @escaping @MainActor () async -> Void
    ) {
        guard task == nil else { return }
        task = Task {
            while !Task.isCancelled {
                if widget.isOnScreen { await update() }
                try? await Task.sleep(for: interval)
            }
        }
    }

    func stop() {
        task?.cancel()
        task = nil
    }

    isolated deinit {
        stop()
    }
}
