import CGLibMainHook
import CGtk
import Dispatch
import KingfisherGTK
import Testing

extension GTKTests {
    /// Swift's main queue under GLib's loop. `GLibMainLoop.attach()` and the tests' own hook serve one event
    /// here, side by side, which must do no harm.
    @Suite(.serialized) @MainActor struct MainLoop {
        init() { GLibMainLoop.attach() }

        @Test func testsRunOnTheMainThread() {
            #expect(cglib_main_hook_is_draining())
            #expect(cglib_main_hook_is_main_thread())
        }

        @Test func mainQueueRuns() async {
            await confirmation { ran in
                await withCheckedContinuation { continuation in
                    DispatchQueue.main.async {
                        ran()
                        continuation.resume()
                    }
                }
            }
        }

        @Test func tasksComeBackToTheMainThread() async {
            let detached = await Task.detached { cglib_main_hook_is_main_thread() }.value
            #expect(!detached)
            #expect(cglib_main_hook_is_main_thread())
        }

        @Test func hopsFromManyThreadsAllArrive() async {
            let tally = Tally()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<250 { await tally.add() }
                    }
                }
            }
            #expect(tally.count == 2000)
        }

        @Test func mainQueueThatRefillsItselfLetsGTKDraw() async {
            let (blocks, turns) = (Tally(), Tally())
            blocks.refillMainQueue(until: { turns.count == 20 })
            // An idle source of the priority at which GTK lays out before it draws.
            g_idle_add_full(
                Int32(GDK_PRIORITY_REDRAW) - 10,
                { data in
                    let turns = Unmanaged<Tally>.fromOpaque(data!).takeUnretainedValue()
                    turns.add()
                    return turns.count < 20 ? 1 : 0
                }, Unmanaged.passUnretained(turns).toOpaque(), nil)
            #expect(await GTK.wait { turns.count == 20 })
            #expect(blocks.count > 1)
        }
    }
}

@MainActor private final class Tally {
    private(set) var count = 0

    func add() { count += 1 }

    func refillMainQueue(until isOver: @escaping @MainActor @Sendable () -> Bool) {
        add()
        if isOver() { return }
        DispatchQueue.main.async {
            MainActor.assumeIsolated { self.refillMainQueue(until: isOver) }
        }
    }
}
