import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// Decisions of the queue, without threads and clocks.
@Suite struct AdmissionQueueTests {
    private var queue = AdmissionQueue(.init(budget: 100, queueLength: 4))

    private mutating func enter(_ priority: Float = 0.5) throws -> AdmissionQueue.ID {
        let id = queue.enter(priority: priority)
        return try #require(id)
    }

    private mutating func grantAll() -> [AdmissionQueue.ID] {
        var granted: [AdmissionQueue.ID] = []
        while let id = queue.next() { granted.append(id) }
        return granted
    }

    /// Admits a load that has reserved `bytes`.
    private mutating func holder(_ bytes: Int) throws -> AdmissionQueue.ID {
        let id = try enter()
        _ = queue.reserve(id, total: bytes)
        #expect(grantAll() == [id])
        return id
    }

    @Test("A reservation that fits is granted; one that does not fit waits until enough memory is released")
    mutating func waiting() throws {
        let first = try holder(60)
        let second = try enter()
        #expect(queue.reserve(second, total: 50) == .waits)
        #expect(grantAll() == [] && queue.reserved == 60 && queue.waiting == 1)
        queue.leave(first, at: 0)
        #expect(grantAll() == [second] && queue.reserved == 50 && queue.waiting == 0)
        queue.leave(second, at: 0)
        #expect(queue.reserved == 0 && queue.isIdle)
    }

    @Test("A reservation larger than the whole budget is refused and changes nothing")
    mutating func excess() throws {
        let id = try holder(10)
        #expect(queue.reserve(id, total: 101) == .exceedsBudget)
        #expect(queue.reservation(of: id) == 10 && !queue.hasWaitingLoads)
    }

    @Test("The queue is bounded; its length counts only loads that hold no memory")
    mutating func bound() throws {
        _ = try holder(100)
        for _ in 0..<4 { _ = try enter() }
        #expect(queue.enter(priority: 1) == nil)
        #expect(queue.waiting == 4)
    }

    @Test("A transfer counts once it has to wait for memory, and is refused if the queue is full")
    mutating func transfers() throws {
        let silent = (0..<50).map { _ in queue.enterTransfer(priority: 1) }
        #expect(queue.waiting == 0)
        let holder = try holder(100)
        for id in silent[0..<4] {
            let answer = queue.reserve(id, total: 30)
            #expect(answer == .waits)
        }
        let refused = queue.reserve(silent[4], total: 1)
        #expect(refused == .queueIsFull && queue.waiting == 4)
        queue.leave(silent[0], at: 0)
        let next = queue.reserve(silent[4], total: 1)
        #expect(next == .waits && queue.waiting == 4)
        queue.leave(holder, at: 0)
        #expect(grantAll() == [silent[1], silent[2], silent[3], silent[4]] && queue.waiting == 0)
        // One that holds memory needs no place in the queue for more.
        let more = queue.reserve(silent[1], total: 90)
        #expect(more == .waits && queue.waiting == 0)
        for id in silent { queue.leave(id, at: 0) }
        #expect(queue.waiting == 0 && queue.isIdle && queue.reserved == 0)
    }

    @Test("Waiting loads are granted by priority, then in order of arrival")
    mutating func order() throws {
        let holder = try holder(100)
        let loads = [try enter(0.2), try enter(0.8), try enter(0.8), try enter(.nan)]
        for id in loads { _ = queue.reserve(id, total: 25) }
        queue.leave(holder, at: 0)
        #expect(grantAll() == [loads[1], loads[2], loads[3], loads[0]])
    }

    @Test("A waiting load without memory is not overtaken by a smaller load of lower rank")
    mutating func noOvertaking() throws {
        _ = try holder(60)
        let (large, small) = (try enter(), try enter())
        _ = queue.reserve(large, total: 80)
        _ = queue.reserve(small, total: 10)
        #expect(grantAll() == [])
    }

    @Test("If all loads need more, one may exceed the budget; when it leaves, the next one may")
    mutating func exception() throws {
        let (first, second) = (try holder(50), try holder(50))
        _ = queue.reserve(second, total: 90)
        _ = queue.reserve(first, total: 80)
        #expect(grantAll() == [first] || grantAll() == [second])
        #expect(queue.reserved > 100 && queue.reserved <= 200 && queue.hasWaitingLoads)
        let exceeding = queue.reservation(of: first) == 80 ? first : second
        queue.leave(exceeding, at: 0)
        #expect(grantAll().count == 1)
        #expect(!queue.hasWaitingLoads)
    }

    @Test("Loads that hold memory are granted before loads that hold nothing")
    mutating func growthFirst() throws {
        let holder = try holder(60)
        let arriving = try enter(1)
        _ = queue.reserve(arriving, total: 50)
        _ = queue.reserve(holder, total: 100)
        #expect(grantAll() == [holder])
    }

    @Test("A smaller reservation is granted immediately and frees memory for others")
    mutating func shrinking() throws {
        let holder = try holder(100)
        let next = try enter()
        _ = queue.reserve(next, total: 70)
        #expect(grantAll() == [])
        #expect(queue.reserve(holder, total: 30) == .reserved)
        #expect(grantAll() == [next])
    }

    @Test("A withdrawn load is skipped and retains what it holds")
    mutating func withdrawal() throws {
        let holder = try holder(100)
        let (first, second) = (try enter(), try enter())
        for id in [first, second] { _ = queue.reserve(id, total: 100) }
        queue.stopWaiting(first, forGood: true)
        queue.stopWaiting(holder, forGood: true)
        #expect(queue.reservation(of: holder) == 100)
        queue.leave(holder, at: 0)
        #expect(grantAll() == [second])
    }

    /// Reports progress twice with a reclaim after each; the first only sets the baseline.
    private mutating func observeTwice(_ received: [AdmissionQueue.ID: Int], held: Int? = nil) {
        for id in received.keys { queue.note(.init(received: 0, held: held ?? 0), by: id) }
        queue.reclaim(below: 10)
        for (id, bytes) in received { queue.note(.init(received: bytes, held: held ?? bytes), by: id) }
        queue.reclaim(below: 10)
    }

    @Test("Memory that a stalled transfer reserved but does not hold is granted to others")
    mutating func stalling() throws {
        let (stalled, busy, next) = (try holder(50), try holder(50), try enter())
        _ = queue.reserve(next, total: 40)
        observeTwice([stalled: 1, busy: 30])
        #expect(grantAll() == [next])
        #expect(queue.reservation(of: stalled) == 1 && queue.reservation(of: busy) == 50)
        // When its body continues, it has to wait like any load that holds memory.
        #expect(queue.reserve(stalled, total: 20) == .waits)
    }

    @Test("A stalled transfer retains what its buffer holds, even if that exceeds what it received")
    mutating func heldMemory() throws {
        let (stalled, next) = (try holder(100), try enter())
        _ = queue.reserve(next, total: 50)
        observeTwice([stalled: 1], held: 60)
        #expect(grantAll() == [] && queue.reservation(of: stalled) == 60)
    }

    @Test("A slow transfer retains what it receives in eight reclaim intervals, at least 64 KiB")
    mutating func slowTransfers() throws {
        queue = AdmissionQueue(.init(budget: 64 << 20))
        let (slow, fast) = (try holder(16 << 20), try holder(16 << 20))
        observeTwice([slow: 1_024, fast: 1 << 20])
        #expect(queue.reservation(of: slow) == 1_024 + 64 << 10)
        #expect(queue.reservation(of: fast) == 9 << 20)
    }

    @Test("A transfer that was just granted memory is not reclaimed by the first check")
    mutating func freshGrant() throws {
        let fresh = try holder(100)
        queue.note(.init(received: 0, held: 0), by: fresh)
        _ = queue.reserve(try enter(), total: 10)
        queue.reclaim(below: 10)
        #expect(grantAll() == [] && queue.reservation(of: fresh) == 100)
    }

    @Test("A load whose transfer is complete never counts as stalled")
    mutating func decoding() throws {
        let decoding = try holder(100)
        queue.note(nil, by: decoding)
        _ = queue.reserve(try enter(), total: 10)
        for _ in 0..<3 { queue.reclaim(below: 10) }
        #expect(grantAll() == [])
    }

    @Test("A load that exceeds the budget and stalls lets another exceed it, up to twice the budget")
    mutating func stalledException() throws {
        let (first, second) = (try holder(50), try holder(50))
        _ = queue.reserve(first, total: 100)
        #expect(grantAll() == [first])
        _ = queue.reserve(second, total: 60)
        #expect(grantAll() == [])
        observeTwice([first: 0], held: 100)
        #expect(grantAll() == [second] && queue.reserved == 160)
        let third = try enter()
        queue.hold(third, 30)
        _ = queue.reserve(third, total: 80)
        observeTwice([second: 0], held: 60)
        #expect(grantAll() == [], "240 would be more than twice the budget")
    }

    @Test("Memory that a load already holds is counted even if it does not fit, and the load waits")
    mutating func heldBefore() throws {
        let holder = try holder(80)
        let (first, second) = (try enter(), try enter())
        queue.hold(first, 50)
        queue.hold(second, 50)
        #expect(queue.reserved == 180 && queue.waiting == 2)
        for id in [first, second] { _ = queue.reserve(id, total: 60) }
        #expect(grantAll() == [first], "the first load that holds memory may exceed the budget")
        #expect(queue.reserved == 190 && queue.waiting == 1)
        queue.leave(holder, at: 0)
        #expect(grantAll() == [] && queue.reserved == 110)
        queue.leave(first, at: 0)
        #expect(grantAll() == [second] && queue.reserved == 60 && queue.waiting == 0)
    }

    @Test("Loads that already hold more than twice the budget in total are served one after the other")
    mutating func heldByAll() throws {
        let loads = try (0..<4).map { _ in try enter() }
        for id in loads { queue.hold(id, 90) }
        #expect(queue.enter(priority: 1) == nil)
        for id in loads { #expect(queue.reserve(id, total: 95) == .waits) }
        #expect(grantAll() == [loads[0]])
        queue.leave(loads[0], at: 0)
        #expect(grantAll() == [loads[1]])
        queue.leave(loads[1], at: 0)
        #expect(grantAll() == [loads[2], loads[3]], "together they take less than twice the budget")
        for id in loads[2...] { queue.leave(id, at: 0) }
        #expect(queue.isIdle && queue.reserved == 0)
    }

    @Test(
        "With random loads, some of which already hold memory, at least one can always proceed",
        arguments: 0..<20)
    mutating func liveness(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        queue = AdmissionQueue(.init(budget: 1_000, queueLength: 30))
        var live: [AdmissionQueue.ID] = []
        for step in 0..<5_000 {
            if let id = queue.enter(priority: Float.random(in: 0...1, using: &generator)) {
                live.append(id)
                let held = Bool.random(using: &generator) ? Int.random(in: 0...900, using: &generator) : 0
                if held > 0 { queue.hold(id, held) }
                _ = queue.reserve(id, total: held + Int.random(in: 0...1_000 - held, using: &generator))
            }
            // A load that is not waiting either needs more or leaves.
            _ = grantAll()
            let working = live.filter { !queue.isWaiting($0) }
            let id = try #require(working.randomElement(using: &generator), "all wait for each other")
            if Int.random(in: 0..<3, using: &generator) == 0 {
                let more = Int.random(in: 0...1_000, using: &generator)
                _ = queue.reserve(id, total: max(more, queue.reservation(of: id)))
            } else {
                queue.leave(id, at: Double(step))
                live.removeAll { $0 == id }
            }
        }
    }

    @Test("A load that is withdrawn before its reservation never waits")
    mutating func withdrawnBefore() throws {
        _ = try holder(100)
        let id = try enter()
        queue.stopWaiting(id, forGood: true)
        #expect(queue.reserve(id, total: 10) == .waits)
        #expect(!queue.isWaiting(id) && !queue.hasWaitingLoads)
    }

    @Test("A refused load gets a retry delay from the queue's recent rate, from 1 to 60 s")
    mutating func retryAfter() throws {
        #expect(queue.retryAfter() == 1)
        for time in 0..<20 {
            queue.leave(try holder(1), at: Double(time))
        }
        for _ in 0..<4 { _ = try enter() }
        #expect(queue.retryAfter() == 4 && queue.retryAfter(behind: 6) == 10)
    }

    @Test("With random loads at most one load exceeds the budget, no memory is lost, and all end")
    mutating func random() throws {
        var generator = SeededGenerator(seed: 18)
        queue = AdmissionQueue(.init(budget: 1_000, queueLength: 50))
        var live: [AdmissionQueue.ID] = []
        for step in 0..<20_000 {
            if live.count < 60, let id = queue.enter(priority: Float.random(in: 0...1, using: &generator)) {
                live.append(id)
            }
            if let id = live.randomElement(using: &generator) {
                _ = queue.reserve(id, total: Int.random(in: 1...1_000, using: &generator))
            }
            _ = grantAll()
            #expect(queue.reserved <= 2_000)
            #expect(queue.reserved == live.reduce(0) { $0 + queue.reservation(of: $1) })
            if step.isMultiple(of: 2), let index = live.indices.randomElement(using: &generator) {
                queue.leave(live.remove(at: index), at: Double(step))
                _ = grantAll()
            }
        }
        for id in live { queue.leave(id, at: 0) }
        #expect(queue.reserved == 0 && queue.isIdle && !queue.hasWaitingLoads && queue.waiting == 0)
    }
}
