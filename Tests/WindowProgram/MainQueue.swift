import CGtk
import KingfisherGTK

/// Checks of `GLibMainLoop.attach` without `CGLibMainHook`, which serves the main queue in the process of the
/// tests.
@MainActor enum MainQueue {
    /// Whether a block of the main queue runs on the main thread.
    static func runsBlocks() async -> Bool {
        await withCheckedContinuation { done in
            DispatchQueue.main.async { done.resume(returning: Thread.isMainThread) }
        }
    }

    /// Whether a task resumes on the main thread after it awaited a detached task.
    static func resumesTasks() async -> Bool {
        let wasOnWorker = await Task.detached { !Thread.isMainThread }.value
        return wasOnWorker && Thread.isMainThread
    }

    /// The number of main-actor calls that run, of 250 from each of eight tasks.
    static func countCalls() async -> Int {
        let tally = Tally()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<250 { await tally.add() }
                }
            }
        }
        return tally.count
    }

    /// Returns when GTK could have drawn twenty times while the queue always has a next block.
    static func waitForDraws() async {
        let draws = Tally()
        refill(until: { draws.count == 20 })
        // GTK lays out at this priority before it draws.
        g_idle_add_full(
            Int32(GDK_PRIORITY_REDRAW) - 10,
            { data in
                let draws = Unmanaged<Tally>.fromOpaque(data!).takeUnretainedValue()
                draws.add()
                return draws.count < 20 ? 1 : 0
            }, Unmanaged.passUnretained(draws).toOpaque(), nil)
        while draws.count < 20 { await Task.yield() }
    }

    private static func refill(until isOver: @escaping @MainActor @Sendable () -> Bool) {
        if isOver() { return }
        DispatchQueue.main.async {
            MainActor.assumeIsolated { refill(until: isOver) }
        }
    }
}

@MainActor private final class Tally {
    private(set) var count = 0

    func add() { count += 1 }
}
