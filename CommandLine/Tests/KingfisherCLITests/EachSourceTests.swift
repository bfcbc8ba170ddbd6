import Synchronization
import Testing

@testable import KingfisherCLI

@Suite("Multiple sources")
struct EachSourceTests {
    private final class Counter: Sendable {
        private let state = Mutex((now: 0, peak: 0, seen: Set<String>()))

        func enter(_ source: String) {
            state.withLock { state in
                state.now += 1
                state.peak = max(state.peak, state.now)
                state.seen.insert(source)
            }
        }

        func leave() { state.withLock { $0.now -= 1 } }

        var peak: Int { state.withLock(\.peak) }
        var seen: Int { state.withLock(\.seen.count) }
    }

    @Test(
        "All sources run, at most four at a time, and failures are counted",
        arguments: [0, 1, 4, 5, 100])
    func all(count: Int) async {
        let counter = Counter()
        let failures = await EachSource((0..<count).map(String.init)).run { index, source in
            counter.enter(source)
            for _ in 0..<10 { await Task.yield() }
            counter.leave()
            return source == String(index) && index % 3 != 0
        }
        #expect(counter.seen == count)
        #expect(counter.peak <= 4)
        #expect(failures == (count + 2) / 3)
    }

    @Test("--jobs is the number of sources at a time", arguments: [1, 2, 9])
    func jobs(count: Int) async {
        let counter = Counter()
        let failures = await EachSource((0..<30).map(String.init), jobs: count).run { _, source in
            counter.enter(source)
            while counter.peak < count { await Task.yield() }
            counter.leave()
            return true
        }
        #expect(failures == 0 && counter.seen == 30 && counter.peak == count)
    }
}
