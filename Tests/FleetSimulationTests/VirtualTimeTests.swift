import Synchronization
import Testing

@testable import FleetSimulation

struct VirtualTimeTests {
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private let time = VirtualTime()
    private let log = Log()

    @Test("Timers run by time, and in the order in which they were set if it is the same")
    func timers() {
        for (name, delay) in [("d", 30), ("a", 10), ("b", 10), ("c", 20)] {
            time.after(.milliseconds(delay)) { [log, time] in log.add("\(name) \(time.seconds)") }
        }
        time.run(until: 0.025)
        #expect(log.all == ["a 0.01", "b 0.01", "c 0.02"] && time.seconds == 0.025)
        time.run(until: 1)
        #expect(log.all.last == "d 0.03" && time.seconds == 1)
    }

    @Test("Ready tasks run before the clock moves, and sleeping takes no time of the process")
    func tasks() {
        let start = ContinuousClock.now
        for name in ["a", "b"] {
            time.start { [log, time] in
                log.add("\(name) begins")
                await time.sleep(until: 3_600_000_000_000)
                log.add("\(name) ends at \(time.seconds)")
            }
        }
        time.after(.seconds(1)) { [log] in log.add("timer") }
        time.run(until: 10_000)
        #expect(log.all == ["a begins", "b begins", "timer", "a ends at 3600.0", "b ends at 3600.0"])
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test("Child tasks, detached tasks and actors run on the simulated clock, too")
    func structured() {
        actor Counter {
            var count = 0
            func add() { count += 1 }
        }
        let counter = Counter()
        time.start { [log, time] in
            await withTaskGroup(of: Void.self) { group in
                for number in 1...3 {
                    group.addTask {
                        await time.sleep(until: Int64(number) * 1_000_000_000)
                        await counter.add()
                    }
                }
            }
            log.add("\(await counter.count) at \(time.seconds)")
        }
        time.run(until: 5)
        #expect(log.all == ["3 at 3.0"])
    }

    @Test("1,000 timers of random times run in order")
    func heap() {
        var heap = TimerHeap()
        let random = SimulatedRandom(seed: 1)
        for _ in 0..<1000 { heap.insert({}, at: Int64(random.below(100))) }
        var last: (Int64, Int) = (-1, -1)
        var count = 0
        while let timer = heap.removeFirst(until: 99) {
            #expect((timer.time, timer.number) > last)
            last = (timer.time, timer.number)
            count += 1
        }
        #expect(count == 1000)
    }
}
