import CGLibMainHook
import KingfisherGTK
import Testing

extension GTKTests {
    /// The main loop of these tests: `CGLibMainHook` and `GLibMainLoop.attach()` both serve the main queue,
    /// on the same event. `Applications` tests `attach` without the hook, in another process.
    @Suite(.serialized) @MainActor struct MainLoop {
        init() { GLibMainLoop.attach() }

        @Test("Tests run on the main thread")
        func mainThread() {
            #expect(cglib_main_hook_is_draining())
            #expect(cglib_main_hook_is_main_thread())
        }

        @Test("A task resumes on the main thread after a detached task")
        func tasksResume() async {
            let detached = await Task.detached { cglib_main_hook_is_main_thread() }.value
            #expect(!detached)
            #expect(cglib_main_hook_is_main_thread())
        }

        @Test("Concurrent main-actor calls all run")
        func callsFromManyTasks() async {
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
