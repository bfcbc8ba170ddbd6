import Foundation
import Kingfisher
import KingfisherStorage
import KingfisherTestSupport
import Synchronization

/// Runs tasks and timers on one thread, in the order of a simulated clock.
///
/// Jobs of tasks run in the order in which they became ready. If none is ready, the clock moves to the next
/// timer; timers of the same time run in the order in which they were set. A run depends on nothing but its
/// input, if every task has this executor and all delays and random numbers come from `environment`.
///
/// Safe from any thread; tasks and timers run on the thread that calls `run`.
final class VirtualTime: TaskExecutor {
    private struct State: Sendable {
        var now: Int64 = 0
        var ready: [UnownedJob] = []
        var next = 0
        var timers = TimerHeap()
    }

    /// The date at which simulations begin.
    static let epoch = Date(timeIntervalSince1970: 1_800_000_000)

    private let state = Mutex(State())
    private let start = ContinuousClock.now

    /// Nanoseconds since the beginning.
    var nanoseconds: Int64 { state.withLock(\.now) }

    var seconds: Double { Double(nanoseconds) / 1e9 }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.ready.append(job) }
    }

    /// Runs all tasks and timers up to a time, which the clock then shows.
    func run(until end: Double) {
        let end = Int64(end * 1e9)
        while true {
            if let job = nextJob() {
                job.runSynchronously(on: asUnownedTaskExecutor())
            } else if let action = nextAction(until: end) {
                action()
            } else {
                return state.withLock { $0.now = max($0.now, end) }
            }
        }
    }

    func at(_ nanoseconds: Int64, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.timers.insert(action, at: max(nanoseconds, $0.now)) }
    }

    func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
        at(nanoseconds + delay.nanoseconds, action)
    }

    func sleep(until nanoseconds: Int64) async {
        await withUnsafeContinuation { continuation in at(nanoseconds) { continuation.resume() } }
    }

    func start(_ work: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self) { await work() }
    }

    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            guard state.next < state.ready.count else { return nil }
            let job = state.ready[state.next]
            state.next += 1
            if state.next == state.ready.count {
                state.ready.removeAll(keepingCapacity: true)
                state.next = 0
            }
            return job
        }
    }

    private func nextAction(until end: Int64) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let timer = state.timers.removeFirst(until: end) else { return nil }
            state.now = timer.time
            return timer.action
        }
    }
}

extension VirtualTime {
    /// What the library's tiers use in place of the process's clock, random numbers and executor.
    func environment(_ random: SimulatedRandom) -> TierEnvironment {
        var environment = TierEnvironment()
        environment.now = { self.date }
        environment.instant = { self.start + .nanoseconds(self.nanoseconds) }
        environment.randomNumber = { random.next() }
        environment.sleep = { duration in
            await self.sleep(until: self.nanoseconds + duration.nanoseconds)
        }
        environment.schedule = { self.after($0, $1) }
        environment.executor = self
        return environment
    }

    /// In whole microseconds, so that arithmetic on dates does not depend on how it is done.
    var date: Date { Self.epoch.addingTimeInterval(Double(nanoseconds / 1000) * 1e-6) }
}

extension VirtualTime: StorageClock {
    var now: Date { date }
}

/// Random numbers that several tasks of one simulation take in turn.
final class SimulatedRandom: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func next() -> UInt64 { generator.withLock { $0.next() } }

    /// From 0, included, to 1, excluded.
    func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// An exponentially distributed number of this mean.
    func exponential(mean: Double) -> Double { -log(1 - unit()) * mean }

    /// A whole number less than `bound`.
    func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

extension Duration {
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
