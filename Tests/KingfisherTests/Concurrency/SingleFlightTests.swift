import Foundation
import Synchronization
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

@Suite struct SingleFlightTests {
    private typealias Work = SingleFlight<String, Int>

    private func member(_ inbox: Inbox<Int>, wanted: @escaping @Sendable () -> Bool = { true }) -> Work.Waiter
    {
        Work.Waiter(isWanted: wanted, receive: { inbox.put($0) })
    }

    private func lead(_ turn: Work.Role) throws -> Work.Leader {
        guard case .leader(let lead) = turn else { throw NoLead() }
        return lead
    }

    private struct NoLead: Error {}

    @Test("The first leads, others wait, later ones get the outcome until the last has left")
    func roles() throws {
        let work = Work(abandoned: -1)
        let inbox = Inbox<Int>()
        let first = work.join("a", member(inbox))
        let lead = try lead(first.role)
        let second = work.join("a", member(inbox))
        guard case .waiter = second.role else { throw NoLead() }
        lead.complete(3)
        #expect(inbox.values == [3, 3])
        let third = work.join("a", member(inbox))
        guard case .completed(3) = third.role else { throw NoLead() }
        for place in [first.place, second.place, third.place] {
            #expect(work.count == 1)
            work.leave(place)
        }
        #expect(work.count == 0 && inbox.count == 2)
        _ = try self.lead(work.join("a", member(inbox)).role)
    }

    @Test("Keys are apart")
    func keys() throws {
        let work = Work(abandoned: -1)
        _ = try (lead(work.join("a", member(Inbox())).role), lead(work.join("b", member(Inbox())).role))
    }

    @Test("An outcome that is not kept, or not accepted, is made again")
    func repeated() throws {
        let work = Work(abandoned: -1)
        let inbox = Inbox<Int>()
        let failed = try lead(work.join("a", member(inbox)).role)
        failed.complete(1, keeping: .none)
        let kept = try lead(work.join("a", member(inbox)).role)
        kept.complete(2)
        let fresh = try lead(work.join("a", member(inbox), acceptsCompleted: false).role)
        fresh.complete(3)
        #expect(inbox.values == [1, 2, 3])
    }

    @Test("The last to leave stops the work, others do not; an outcome after that reaches no one")
    func abandoning() throws {
        let work = Work(abandoned: -1)
        let (inbox, stops) = (Inbox<Int>(), Inbox<Void>())
        let first = work.join("a", member(inbox))
        let lead = try lead(first.role)
        lead.whenAbandoned {
            stops.put()
            return nil
        }
        let second = work.join("a", member(inbox))
        work.leave(first.place)
        #expect(stops.count == 0 && lead.isWanted)
        work.leave(second.place)
        #expect(stops.count == 1 && !lead.isWanted && work.count == 0)
        lead.complete(1)
        #expect(inbox.count == 0)
        lead.whenAbandoned {
            stops.put()
            return nil
        }
        #expect(stops.count == 2)
    }

    @Test("Work is wanted while one member wants it")
    func wanted() throws {
        let work = Work(abandoned: -1)
        let isWanted = Locked(true)
        let lead = try lead(work.join("a", member(Inbox(), wanted: { false })).role)
        _ = work.join("a", member(Inbox(), wanted: { isWanted.withLock { $0 } }))
        #expect(lead.isWanted)
        isWanted.withLock { $0 = false }
        #expect(!lead.isWanted)
    }

    @Test(
        "A caller that comes after the work was given up leads again; one that comes meanwhile is asked, too")
    func abandonedWork() throws {
        let work = Work(abandoned: -1)
        let (stale, fresh) = (Inbox<Int>(), Inbox<Int>())
        let given = try lead(work.join("a", member(stale, wanted: { false })).role)
        #expect(!given.isWanted)
        let second = try lead(work.join("a", member(fresh)).role)
        given.complete(0)
        second.complete(1)
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
            ).role)
        #expect(joining.isWanted)
    }

    @Test("Nothing is begun when something has come into the cache; work that runs is joined all the same")
    func outdated() throws {
        let work = Work(abandoned: -1)
        let arrivals = ChangeCounter()
        let mark = arrivals.mark
        let first = try lead(work.join("a", member(Inbox()), since: mark).role)
        arrivals.note()
        guard case .waiter = work.join("a", member(Inbox()), since: mark).role else { throw NoLead() }
        guard case .outdated = work.join("b", member(Inbox()), since: mark).role else { throw NoLead() }
        #expect(work.count == 1)
        _ = try lead(work.join("b", member(Inbox()), since: arrivals.mark).role)
        withExtendedLifetime(first) {}
    }

    @Test(
        "A leader that is released gives each caller the outcome for abandoned work; after an outcome nothing"
    )
    func dropped() throws {
        final class Owner: Sendable {}
        let work = Work(abandoned: -1)
        let inbox = Inbox<Int>()
        weak var weakOwner: Owner?
        do {
            let owner = Owner()
            weakOwner = owner
            let receive: @Sendable (Int) -> Void = {
                inbox.put($0)
                withExtendedLifetime(owner) {}
            }
            let first = work.join("a", Work.Waiter(isWanted: { true }, receive: receive))
            _ = work.join("a", Work.Waiter(isWanted: { true }, receive: receive))
            _ = try lead(first.role)
        }
        #expect(inbox.values == [-1, -1])
        #expect(weakOwner == nil && work.count == 0)
        do { try lead(work.join("a", member(inbox)).role).complete(3) }
        guard case .completed(3) = work.join("a", member(inbox)).role else { throw NoLead() }
        #expect(inbox.values == [-1, -1, 3])
    }

    @Test("Only the first outcome counts, and later ones do not take back what is kept")
    func landingTwice() throws {
        let work = Work(abandoned: -1)
        let inbox = Inbox<Int>()
        let lead = try lead(work.join("a", member(inbox)).role)
        lead.complete(1)
        lead.complete(2, keeping: .none)
        guard case .completed(1) = work.join("a", member(inbox)).role else { throw NoLead() }
        #expect(inbox.values == [1])
    }

    @Test("run: one piece of work for fifty callers; a permanent outcome is given at once to later ones")
    func runs() throws {
        let work = Work(abandoned: -1)
        let (inbox, leaders) = (Inbox<Int>(), Inbox<Work.Leader>())
        for key in ["a", "b"] {
            for _ in 0..<50 { work.run(key, work: { leaders.put($0) }, completion: { inbox.put($0) }) }
        }
        #expect(leaders.count == 2 && inbox.count == 0)
        leaders.values[0].complete(1, keeping: .always)
        leaders.values[1].complete(2, keeping: .none)
        #expect(inbox.values == Array(repeating: 1, count: 50) + Array(repeating: 2, count: 50))
        work.run("a", work: { _ in Issue.record("done twice") }, completion: { inbox.put($0) })
        #expect(inbox.values.last == 1 && inbox.count == 101)
        #expect(work.count == 1 && work.callerCount == 0)
        work.run("b", work: { $0.complete(3, keeping: .none) }, completion: { inbox.put($0) })
        #expect(inbox.values.last == 3 && work.count == 1)
    }

    @Test("Callers get the outcome in the order in which they came")
    func order() throws {
        let work = Work(abandoned: -1)
        let names = Inbox<Int>()
        var leaders: [Work.Leader] = []
        for number in 0..<100 {
            let waiter = Work.Waiter { _ in names.put(number) }
            if case .leader(let leader) = work.join("a", waiter).role { leaders.append(leader) }
        }
        leaders.first?.complete(0)
        #expect(names.values == Array(0..<100))
    }

    @Test("From many threads: 20,000 joins, each told once, no work done twice at the same time")
    func threads() {
        let work = Work(abandoned: -1)
        let told = Mutex([Int](repeating: 0, count: 20_000))
        let running = Mutex([Int](repeating: 0, count: 5))
        let places = Mutex<[SingleFlight<String, Int>.Place]>([])
        DispatchQueue.concurrentPerform(iterations: 20_000) { number in
            let key = number % 5
            let member = Work.Waiter(
                isWanted: { true }, receive: { _ in told.withLock { $0[number] += 1 } })
            let (role, place) = work.join("\(key)", member)
            switch role {
            case .leader(let lead):
                let others = running.withLock { running in
                    defer { running[key] += 1 }
                    return running[key]
                }
                #expect(others == 0)
                // Time for others to come while this is under way.
                if number % 16 == 0 { usleep(50) }
                running.withLock { $0[key] -= 1 }
                lead.complete(number, keeping: number % 3 == 0 ? .whileJoined : .none)
                work.leave(place)
            case .completed:
                told.withLock { $0[number] += 1 }
                work.leave(place)
            // Leaving before it is told would be giving up.
            case .waiter, .outdated: places.withLock { $0.append(place) }
            }
        }
        for place in places.withLock({ $0 }) { work.leave(place) }
        #expect(told.withLock { $0.allSatisfy { $0 == 1 } })
        #expect(work.count == 0)
    }
}
