import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// Decisions about memory, without threads and clocks.
@Suite struct AdmissionQueueTests {
    private var queue = AdmissionQueue(.init(budget: 100, queueLength: 4))

    private mutating func enter(_ priority: Float = 0.5) throws -> AdmissionQueue.ID {
        let id = queue.enter(priority: priority)
        return try #require(id)
    }

    /// Everything that may have its memory now, in order.
    private mutating func grantAll() -> [AdmissionQueue.ID] {
        var granted: [AdmissionQueue.ID] = []
        while let id = queue.next() { granted.append(id) }
        return granted
    }

    /// A load that holds `bytes`.
    private mutating func holder(_ bytes: Int) throws -> AdmissionQueue.ID {
        let id = try enter()
        _ = queue.reserve(id, total: bytes)
        #expect(grantAll() == [id])
        return id
    }

    @Test("What fits is granted; what does not waits until enough is given back")
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

    @Test("More than the whole budget is refused, and changes nothing")
    mutating func excess() throws {
        let id = try holder(10)
        #expect(queue.reserve(id, total: 101) == .exceedsBudget)
        #expect(queue.reservation(of: id) == 10 && !queue.isShort)
    }

    @Test("The queue is bounded: loads that hold nothing yet count, those that hold memory do not")
    mutating func bound() throws {
        _ = try holder(100)
        for _ in 0..<4 { _ = try enter() }
        #expect(queue.enter(priority: 1) == nil)
        #expect(queue.waiting == 4)
    }

    @Test("Higher priorities come first, and of equal ones the first to arrive")
    mutating func order() throws {
        let holder = try holder(100)
        let loads = [try enter(0.2), try enter(0.8), try enter(0.8), try enter(.nan)]
        for id in loads { _ = queue.reserve(id, total: 25) }
        queue.leave(holder, at: 0)
        #expect(grantAll() == [loads[1], loads[2], loads[3], loads[0]])
    }

    @Test("A load that waits for its first bytes is not overtaken by a smaller one of lower rank")
    mutating func noOvertaking() throws {
        _ = try holder(60)
        let (large, small) = (try enter(), try enter())
        _ = queue.reserve(large, total: 80)
        _ = queue.reserve(small, total: 10)
        #expect(grantAll() == [])
    }

    @Test("Of loads that all need more, one may exceed the budget; when it has left, the next")
    mutating func exception() throws {
        let (first, second) = (try holder(50), try holder(50))
        _ = queue.reserve(second, total: 90)
        _ = queue.reserve(first, total: 80)
        #expect(grantAll() == [first] || grantAll() == [second])
        #expect(queue.reserved > 100 && queue.reserved <= 200 && queue.isShort)
        let exceeding = queue.reservation(of: first) == 80 ? first : second
        queue.leave(exceeding, at: 0)
        #expect(grantAll().count == 1)
        #expect(!queue.isShort)
    }

    @Test("Loads that hold memory come before those that hold none")
    mutating func growthFirst() throws {
        let holder = try holder(60)
        let arriving = try enter(1)
        _ = queue.reserve(arriving, total: 50)
        _ = queue.reserve(holder, total: 100)
        #expect(grantAll() == [holder])
    }

    @Test("A smaller reservation is granted at once and makes room")
    mutating func shrinking() throws {
        let holder = try holder(100)
        let next = try enter()
        _ = queue.reserve(next, total: 70)
        #expect(grantAll() == [])
        #expect(queue.reserve(holder, total: 30) == .reserved)
        #expect(grantAll() == [next])
    }

    @Test("A load that gives up waiting is passed over, and keeps what it holds")
    mutating func withdrawal() throws {
        let holder = try holder(100)
        let (first, second) = (try enter(), try enter())
        for id in [first, second] { _ = queue.reserve(id, total: 100) }
        queue.withdraw(first)
        queue.withdraw(holder)
        #expect(queue.reservation(of: holder) == 100)
        queue.leave(holder, at: 0)
        #expect(grantAll() == [second])
    }

    /// Two looks at transfers, the first of which only takes note; each brings so many bytes in between.
    private mutating func look(_ brought: [AdmissionQueue.ID: Int], held: Int? = nil) {
        for id in brought.keys { queue.note(.init(received: 0, held: held ?? 0), by: id) }
        queue.reclaim(below: 10)
        for (id, bytes) in brought { queue.note(.init(received: bytes, held: held ?? bytes), by: id) }
        queue.reclaim(below: 10)
    }

    @Test("What a stalled transfer reserved and does not hold is lent to others")
    mutating func stalling() throws {
        let (stalled, busy, next) = (try holder(50), try holder(50), try enter())
        _ = queue.reserve(next, total: 40)
        look([stalled: 1, busy: 30])
        #expect(grantAll() == [next])
        #expect(queue.reservation(of: stalled) == 1 && queue.reservation(of: busy) == 50)
        // Its body goes on: it asks again, like any load that holds memory.
        #expect(queue.reserve(stalled, total: 20) == .waits)
    }

    @Test("A stalled transfer keeps what its buffer holds, which may be more than it received")
    mutating func heldMemory() throws {
        let (stalled, next) = (try holder(100), try enter())
        _ = queue.reserve(next, total: 50)
        look([stalled: 1], held: 60)
        #expect(grantAll() == [] && queue.reservation(of: stalled) == 60)
    }

    @Test("A slow transfer keeps as much ahead as it brings in eight looks, 64 KiB at least")
    mutating func slowTransfers() throws {
        queue = AdmissionQueue(.init(budget: 64 << 20))
        let (slow, fast) = (try holder(16 << 20), try holder(16 << 20))
        look([slow: 1_024, fast: 1 << 20])
        #expect(queue.reservation(of: slow) == 1_024 + 64 << 10)
        #expect(queue.reservation(of: fast) == 9 << 20)
    }

    @Test("A transfer that was just given memory is not judged by the first look")
    mutating func freshGrant() throws {
        let fresh = try holder(100)
        queue.note(.init(received: 0, held: 0), by: fresh)
        _ = queue.reserve(try enter(), total: 10)
        queue.reclaim(below: 10)
        #expect(grantAll() == [] && queue.reservation(of: fresh) == 100)
    }

    @Test("A load whose transfer is over is not stalled, however long it takes")
    mutating func decoding() throws {
        let decoding = try holder(100)
        queue.note(nil, by: decoding)
        _ = queue.reserve(try enter(), total: 10)
        for _ in 0..<3 { queue.reclaim(below: 10) }
        #expect(grantAll() == [])
    }

    @Test("A load that exceeds the budget and stalls does not keep the next from exceeding it, up to twice")
    mutating func stalledException() throws {
        let (first, second) = (try holder(50), try holder(50))
        _ = queue.reserve(first, total: 100)
        #expect(grantAll() == [first])
        _ = queue.reserve(second, total: 60)
        #expect(grantAll() == [])
        look([first: 0], held: 100)
        #expect(grantAll() == [second] && queue.reserved == 160)
        let third = try enter()
        queue.hold(third, 30)
        _ = queue.reserve(third, total: 80)
        look([second: 0], held: 60)
        #expect(grantAll() == [], "240 would be more than twice the budget")
    }

    @Test("Memory that a load comes with counts, whether it fits or not, and the load waits as others do")
    mutating func heldBefore() throws {
        let holder = try holder(80)
        let (first, second) = (try enter(), try enter())
        queue.hold(first, 50)
        queue.hold(second, 50)
        #expect(queue.reserved == 180 && queue.waiting == 2)
        for id in [first, second] { _ = queue.reserve(id, total: 60) }
        #expect(grantAll() == [first], "it may exceed the budget, as the first that holds memory")
        #expect(queue.reserved == 190 && queue.waiting == 1)
        queue.leave(holder, at: 0)
        #expect(grantAll() == [] && queue.reserved == 110)
        queue.leave(first, at: 0)
        #expect(grantAll() == [second] && queue.reserved == 60 && queue.waiting == 0)
    }

    @Test("Loads that come with more than twice the budget are served one after the other")
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

    @Test("Random loads, some of which come with memory: while any waits, another works", arguments: 0..<20)
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
            // One that works needs more, or is done.
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

    @Test("A load that was withdrawn before it asks never waits")
    mutating func withdrawnBefore() throws {
        _ = try holder(100)
        let id = try enter()
        queue.withdraw(id)
        #expect(queue.reserve(id, total: 10) == .waits)
        #expect(!queue.isWaiting(id) && !queue.isShort)
    }

    @Test("A refused load is told how long the queue takes at its latest pace, 1 to 60 s")
    mutating func retryAfter() throws {
        #expect(queue.retryAfter == 1)
        for time in 0..<20 {
            queue.leave(try holder(1), at: Double(time))
        }
        for _ in 0..<4 { _ = try enter() }
        #expect(queue.retryAfter == 4)
    }

    @Test("Random loads: the budget holds but for one load, nothing is lost, and all end")
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
        #expect(queue.reserved == 0 && queue.isIdle && !queue.isShort && queue.waiting == 0)
    }
}
