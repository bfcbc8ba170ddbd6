import CGtk
import KingfisherGTK

/// What `GLibMainLoop.attach` has to bring about by itself. The tests' own process cannot show it: to run at
/// all they need a hook that serves the main queue, too.
@MainActor enum MainQueue {
    /// Whether a block comes to the main thread.
    static func runsBlocks() async -> Bool {
        await withCheckedContinuation { done in
            DispatchQueue.main.async { done.resume(returning: Thread.isMainThread) }
        }
    }

    /// Whether a task that was elsewhere comes back to the main thread.
    static func bringsTasksBack() async -> Bool {
        let wasElsewhere = await Task.detached { !Thread.isMainThread }.value
        return wasElsewhere && Thread.isMainThread
    }

    /// How many hops from eight threads arrive, of 250 each.
    static func countHops() async -> Int {
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

    /// Returns once GTK could have drawn twenty times while the queue refills itself without end.
    static func letsGTKDraw() async {
        let turns = Tally()
        refill(until: { turns.count == 20 })
        // An idle source of the priority at which GTK lays out before it draws.
        g_idle_add_full(
            Int32(GDK_PRIORITY_REDRAW) - 10,
            { data in
                let turns = Unmanaged<Tally>.fromOpaque(data!).takeUnretainedValue()
                turns.add()
                return turns.count < 20 ? 1 : 0
            }, Unmanaged.passUnretained(turns).toOpaque(), nil)
        while turns.count < 20 { await Task.yield() }
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
