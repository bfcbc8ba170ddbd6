import KingfisherGTK

/// Looks at something again and again while a widget is on screen.
@MainActor final class Watch {
    private var task: Task<Void, Never>?

    /// Begins to call `look`; does nothing when it has begun already.
    func start(
        while widget: Widget, every interval: Duration, _ look: @escaping @MainActor () async -> Void
    ) {
        guard task == nil else { return }
        task = Task {
            while !Task.isCancelled {
                if widget.isOnScreen { await look() }
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
