import Dispatch
import Foundation
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@testable import KingfisherStorage

struct MemorySweepTests {
    private final class Token: Sendable {
        private let released: AsyncStream<Void>.Continuation
        init(_ released: AsyncStream<Void>.Continuation) { self.released = released }
        deinit { released.yield() }
    }

    /// The timer must not need a run loop.
    @Test(
        "Expired items are released at the clean interval, also at a shortened one, without a run loop",
        .behaviours("C-46"), .timeLimit(.minutes(1)), arguments: [0.02, 1e12])
    func sweepsByItself(interval: TimeInterval) async {
        let clock = ManualClock()
        let engine = LRUEngine<Token>(
            limits: MemoryLimits(cost: 0), sweepInterval: interval, policy: LeastRecentlyUsed(), clock: clock)
        let (releases, released) = AsyncStream<Void>.makeStream()
        engine.store(Token(released), cost: 1, for: "a", expiration: .seconds(1))
        clock.advance(by: 1)
        if interval > 1 { engine.setSweepInterval(0.02) }
        for await _ in releases { break }
        #expect(engine.count == 0)
        #expect(engine.totalCost == 0)
    }

    @Test func timerDoesNotKeepTheEngineAlive() {
        weak var engine: LRUEngine<Int>?
        do {
            let made = LRUEngine<Int>(
                limits: MemoryLimits(cost: 0), sweepInterval: 100, policy: LeastRecentlyUsed())
            engine = made
            #expect(engine != nil)
        }
        #expect(engine == nil)
    }

    @Test func concurrentUseKeepsCountersExact() {
        let engine = LRUEngine<Int>(
            limits: MemoryLimits(cost: 500), sweepInterval: 0.01, policy: LeastRecentlyUsed())
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var random = SeededGenerator(seed: UInt64(thread))
            for step in 0..<4_000 {
                let number = Int.random(in: 0..<300, using: &random)
                switch step % 8 {
                case 0..<3:
                    engine.store(number, cost: number % 7, for: "\(number)", expiration: .seconds(0.05))
                case 3: engine.remove("\(number)")
                case 4 where step % 1_000 == 4: engine.removeAll()
                default:
                    if let value = engine.value(for: "\(number)") { #expect(value == number) }
                }
            }
        }
        #expect(engine.totalCost <= 500)
        for number in 0..<300 { engine.remove("\(number)") }
        #expect(engine.count == 0)
        #expect(engine.totalCost == 0)
    }
}
