import Foundation
import Synchronization
import Testing

@testable import Kingfisher

@Suite struct SharedWorkTests {
    private typealias Work = SharedWork<String, Int>

    private func member(_ inbox: Inbox<Int>, wanted: @escaping @Sendable () -> Bool = { true }) -> Work.Member
    {
        Work.Member(isWanted: wanted, receive: { inbox.put($0) })
    }

    private func lead(_ turn: Work.Turn) throws -> SharedWorkLead<String, Int> {
        guard case .lead(let lead) = turn else { throw NoLead() }
        return lead
    }

    private struct NoLead: Error {}

    @Test("The first leads, others wait, later ones are served until the last has left")
    func turns() throws {
        let work = Work(unlanded: -1)
        let inbox = Inbox<Int>()
        let first = work.join("a", member(inbox))
        let lead = try lead(first.turn)
        let second = work.join("a", member(inbox))
        guard case .wait = second.turn else { throw NoLead() }
        lead.land(3)
        #expect(inbox.values == [3, 3])
        let third = work.join("a", member(inbox))
        guard case .served(3) = third.turn else { throw NoLead() }
        for seat in [first.seat, second.seat, third.seat] {
            #expect(work.count == 1)
            work.leave(seat)
        }
        #expect(work.count == 0 && inbox.count == 2)
        _ = try self.lead(work.join("a", member(inbox)).turn)
    }

    @Test("Keys are apart")
    func keys() throws {
        let work = Work(unlanded: -1)
        _ = try (lead(work.join("a", member(Inbox())).turn), lead(work.join("b", member(Inbox())).turn))
    }

    @Test("What is not kept, and what somebody does not accept, is done anew")
    func anew() throws {
        let work = Work(unlanded: -1)
        let inbox = Inbox<Int>()
        let failed = try lead(work.join("a", member(inbox)).turn)
        failed.land(1, isKept: false)
        let kept = try lead(work.join("a", member(inbox)).turn)
        kept.land(2)
        let fresh = try lead(work.join("a", member(inbox), acceptsLanded: false).turn)
        fresh.land(3)
        #expect(inbox.values == [1, 2, 3])
    }

    @Test("The last to leave stops the work, others do not; what it lands then reaches nobody")
    func abandoning() throws {
        let work = Work(unlanded: -1)
        let (inbox, stops) = (Inbox<Int>(), Inbox<Void>())
        let first = work.join("a", member(inbox))
        let lead = try lead(first.turn)
        lead.whenAbandoned {
            stops.put()
            return nil
        }
        let second = work.join("a", member(inbox))
        work.leave(first.seat)
        #expect(stops.count == 0 && lead.isWanted)
        work.leave(second.seat)
        #expect(stops.count == 1 && !lead.isWanted && work.count == 0)
        lead.land(1)
        #expect(inbox.count == 0)
        lead.whenAbandoned {
            stops.put()
            return nil
        }
        #expect(stops.count == 2)
    }

    @Test("Work is wanted while one member wants it")
    func wanted() throws {
        let work = Work(unlanded: -1)
        let isWanted = Locked(true)
        let lead = try lead(work.join("a", member(Inbox(), wanted: { false })).turn)
        _ = work.join("a", member(Inbox(), wanted: { isWanted.withLock { $0 } }))
        #expect(lead.isWanted)
        isWanted.withLock { $0 = false }
        #expect(!lead.isWanted)
    }

    @Test(
        "Who comes once nobody wanted the work leads anew; who comes while they are asked is not passed over")
    func abandonedWork() throws {
        let work = Work(unlanded: -1)
        let (stale, fresh) = (Inbox<Int>(), Inbox<Int>())
        let given = try lead(work.join("a", member(stale, wanted: { false })).turn)
        #expect(!given.isWanted)
        let anew = try lead(work.join("a", member(fresh)).turn)
        given.land(0)
        anew.land(1)
        #expect(stale.values == [0] && fresh.values == [1])

        let hasJoined = Locked(false)
        let joining = try lead(
            work.join(
                "b",
                member(stale) {
                    let isFirst = hasJoined.withLock { hasJoined in
                        defer { hasJoined = true }
                        return !hasJoined
                    }
                    if isFirst { _ = work.join("b", self.member(fresh)) }
                    return false
                }
            ).turn)
        #expect(joining.isWanted)
    }

    @Test("Nothing is begun when something has come into the cache; work that runs is joined all the same")
    func outdated() throws {
        let work = Work(unlanded: -1)
        let arrivals = CacheArrivals()
        let mark = arrivals.mark
        let duty = try lead(work.join("a", member(Inbox()), since: mark).turn)
        arrivals.note()
        guard case .wait = work.join("a", member(Inbox()), since: mark).turn else { throw NoLead() }
        guard case .outdated = work.join("b", member(Inbox()), since: mark).turn else { throw NoLead() }
        #expect(work.count == 1)
        _ = try lead(work.join("b", member(Inbox()), since: arrivals.mark).turn)
        withExtendedLifetime(duty) {}
    }

    @Test("A lead that is let go of hands each member the outcome for that; after a landing nothing")
    func dropped() throws {
        final class Owner: Sendable {}
        let work = Work(unlanded: -1)
        let inbox = Inbox<Int>()
        weak var weakOwner: Owner?
        do {
            let owner = Owner()
            weakOwner = owner
            let receive: @Sendable (Int) -> Void = {
                inbox.put($0)
                withExtendedLifetime(owner) {}
            }
            let first = work.join("a", Work.Member(isWanted: { true }, receive: receive))
            _ = work.join("a", Work.Member(isWanted: { true }, receive: receive))
            _ = try lead(first.turn)
        }
        #expect(inbox.values == [-1, -1])
        #expect(weakOwner == nil && work.count == 0)
        do { try lead(work.join("a", member(inbox)).turn).land(3) }
        guard case .served(3) = work.join("a", member(inbox)).turn else { throw NoLead() }
        #expect(inbox.values == [-1, -1, 3])
    }

    @Test("Only the first landing counts, and later ones do not take back what is kept")
    func landingTwice() throws {
        let work = Work(unlanded: -1)
        let inbox = Inbox<Int>()
        let lead = try lead(work.join("a", member(inbox)).turn)
        lead.land(1)
        lead.land(2, isKept: false)
        guard case .served(1) = work.join("a", member(inbox)).turn else { throw NoLead() }
        #expect(inbox.values == [1])
    }

    @Test("From many threads: 20,000 joins, each told once, no work done twice at the same time")
    func threads() {
        let work = Work(unlanded: -1)
        let told = Mutex([Int](repeating: 0, count: 20_000))
        let running = Mutex([Int](repeating: 0, count: 5))
        let seats = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 20_000) { number in
            let key = number % 5
            let member = Work.Member(
                isWanted: { true }, receive: { _ in told.withLock { $0[number] += 1 } })
            let (turn, seat) = work.join("\(key)", member)
            switch turn {
            case .lead(let lead):
                let others = running.withLock { running in
                    defer { running[key] += 1 }
                    return running[key]
                }
                #expect(others == 0)
                // Time for others to come while this is under way.
                if number % 16 == 0 { usleep(50) }
                running.withLock { $0[key] -= 1 }
                lead.land(number, isKept: number % 3 == 0)
                work.leave(seat)
            case .served:
                told.withLock { $0[number] += 1 }
                work.leave(seat)
            // Leaving before it is told would be giving up.
            case .wait, .outdated: seats.withLock { $0.append(seat) }
            }
        }
        for seat in seats.withLock({ $0 }) { work.leave(seat) }
        #expect(told.withLock { $0.allSatisfy { $0 == 1 } })
        #expect(work.count == 0)
    }
}
