import CGLibMainHook
import KingfisherGTK
import Testing

extension GTKTests {
    /// The ground that these tests stand on: a hook that serves the main queue, and `GLibMainLoop.attach()`
    /// beside it, on the same event. What `attach` does alone, `Applications` has another process show.
    @Suite(.serialized) @MainActor struct MainLoop {
        init() { GLibMainLoop.attach() }

        @Test func testsRunOnTheMainThread() {
            #expect(cglib_main_hook_is_draining())
            #expect(cglib_main_hook_is_main_thread())
        }

        @Test func tasksComeBackToTheMainThread() async {
            let detached = await Task.detached { cglib_main_hook_is_main_thread() }.value
            #expect(!detached)
            #expect(cglib_main_hook_is_main_thread())
        }

        @Test func nothingIsLostBetweenTheTwo() async {
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
    }
}

@MainActor private final class Tally {
    private(set) var count = 0

    func add() { count += 1 }
}
