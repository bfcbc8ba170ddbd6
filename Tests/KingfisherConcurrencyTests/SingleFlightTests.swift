import Foundation
import Synchronization
import TestHelpers
import Testing

@testable import KingfisherConcurrency

@Suite struct SingleFlightTests {
    private typealias Work = SingleFlight<String, Int>

    private func waiter(_ inbox: Inbox<Int>, wanted: @escaping @Sendable () -> Bool = { true }) -> Work.Waiter
    {
        Work.Waiter(isWanted: wanted, receive: { inbox.put($0) })
    }

    private func leader(_ role: Work.Role) throws -> Work.Leader {
        guard case .leader(let leader) = role else { throw UnexpectedRole() }
        return leader
    }

    private struct UnexpectedRole: Error {}

    @Test("The first caller leads, others wait, and later ones get the outcome until the last has left")
    func roles() throws {
        let work = Work(abandoned: -1)
        let inbox = Inbox<Int>()
        let first = work.join("a", waiter(inbox))
        let leader = try leader(first.role)
        let second = work.join("a", waiter(inbox))
        guard case .waiter = second.role else { throw UnexpectedRole() }
        leader.complete(3)
        #expect(inbox.values == [3, 3])
        let third = work.join("a", waiter(inbox))
        guard case .completed(3) = third.role else { throw UnexpectedRole() }
        for subscription in [first.subscription, second.subscription, third.subscription] {
            #expect(work.count == 1)
            work.leave(subscription)
        }
        #expect(work.count == 0 && inbox.count == 2)
        _ = try self.leader(work.join("a", waiter(inbox)).role)
    }

    @Test("Different keys have separate leaders")
    func keys() throws {
        let work = Work(abandoned: -1)
        _ = try (leader(work.join("a", waiter(Inbox())).role), leader(work.join("b", waiter(Inbox())).role))
    }

    @Test("An outcome that is not stored, or not accepted, is produced again")
    func repeated() throws {
        let work = Work(abandoned: -1)
        let inbox = Inbox<Int>()
        let failed = try leader(work.join("a", waiter(inbox)).role)
        failed.complete(1, keeping: .none)
        let stored = try leader(work.join("a", waiter(inbox)).role)
        stored.complete(2)
        let fresh = try leader(work.join("a", waiter(inbox), acceptsCompleted: false).role)
        fresh.complete(3)
        #expect(inbox.values == [1, 2, 3])
    }

    @Test("The last caller to leave stops the work; an outcome after that is not delivered")
    func abandoning() throws {
        let work = Work(abandoned: -1)
        let (inbox, stops) = (Inbox<Int>(), Inbox<Void>())
        let first = work.join("a", waiter(inbox))
        let leader = try leader(first.role)
        leader.whenAbandoned {
            stops.put()
            return nil
        }
        let second = work.join("a", waiter(inbox))
        work.leave(first.subscription)
        #expect(stops.count == 0 && leader.isWanted)
        work.leave(second.subscription)
        #expect(stops.count == 1 && !leader.isWanted && work.count == 0)
        leader.complete(1)
        #expect(inbox.count == 0)
        leader.whenAbandoned {
            stops.put()
            return nil
        }
        #expect(stops.count == 2)
    }

    @Test("Work is wanted while one caller wants it")
    func wanted() throws {
        let work = Work(abandoned: -1)
        let isWanted = Mutex(true)
        let leader = try leader(work.join("a", waiter(Inbox(), wanted: { false })).role)
        _ = work.join("a", waiter(Inbox(), wanted: { isWanted.withLock { $0 } }))
        #expect(leader.isWanted)
        isWanted.withLock { $0 = false }
        #expect(!leader.isWanted)
    }

    @Test(
        "A caller after abandoned work leads again; a caller that joins during the check counts, too")
    func abandonedWork() throws {
        let work = Work(abandoned: -1)
        let (stale, fresh) = (Inbox<Int>(), Inbox<Int>())
        let abandoned = try leader(work.join("a", waiter(stale, wanted: { false })).role)
        #expect(!abandoned.isWanted)
        let second = try leader(work.join("a", waiter(fresh)).role)
        abandoned.complete(0)
        second.complete(1)
        #expect(stale.values == [0] && fresh.values == [1])

        let hasJoined = Mutex(false)
        let joining = try leader(
            work.join(
                "b",
                waiter(stale) {
                    let isFirst = hasJoined.withLock { hasJoined in
                        defer { hasJoined = true }
                        return !hasJoined
                    }
                    if isFirst { _ = work.join("b", self.waiter(fresh)) }
                    return false
                }
            ).role)
        #expect(joining.isWanted)
    }

    @Test("No work starts after a change of the cache; running work is joined regardless")
    func outdated() throws {
        let work = Work(abandoned: -1)
        let changes = ChangeCounter()
        let mark = changes.mark
        let first = try leader(work.join("a", waiter(Inbox()), since: mark).role)
        changes.note()
        guard case .waiter = work.join("a", waiter(Inbox()), since: mark).role else { throw UnexpectedRole() }
        guard case .outdated = work.join("b", waiter(Inbox()), since: mark).role else {
            throw UnexpectedRole()
        }
        #expect(work.count == 1)
        _ = try leader(work.join("b", waiter(Inbox()), since: changes.mark).role)
        withExtendedLifetime(first) {}
    }

    @Test(
        "A released leader delivers the outcome for abandoned work, unless it has completed"
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
            _ = try leader(first.role)
        }
        #expect(inbox.values == [-1, -1])
        #expect(weakOwner == nil && work.count == 0)
        do { try leader(work.join("a", waiter(inbox)).role).complete(3) }
        guard case .completed(3) = work.join("a", waiter(inbox)).role else { throw UnexpectedRole() }
        #expect(inbox.values == [-1, -1, 3])
    }

    @Test("Only the first outcome counts; later ones do not remove it")
    func completingTwice() throws {
        let work = Work(abandoned: -1)
        let inbox = Inbox<Int>()
        let leader = try leader(work.join("a", waiter(inbox)).role)
        leader.complete(1)
        leader.complete(2, keeping: .none)
        guard case .completed(1) = work.join("a", waiter(inbox)).role else { throw UnexpectedRole() }
        #expect(inbox.values == [1])
    }

    @Test(
        "run does the work once for fifty callers; a permanent outcome is delivered immediately to later ones"
    )
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

    @Test("Callers get the outcome in order of arrival")
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

    @Test("Of 20,000 joins on many threads each gets one outcome, and no work of a key overlaps")
    func threads() {
        let work = Work(abandoned: -1)
        let deliveries = Mutex([Int](repeating: 0, count: 20_000))
        let running = Mutex([Int](repeating: 0, count: 5))
        let subscriptions = Mutex<[SingleFlight<String, Int>.Subscription]>([])
        DispatchQueue.concurrentPerform(iterations: 20_000) { number in
            let key = number % 5
            let waiter = Work.Waiter(
                isWanted: { true }, receive: { _ in deliveries.withLock { $0[number] += 1 } })
            let (role, subscription) = work.join("\(key)", waiter)
            switch role {
            case .leader(let leader):
                let others = running.withLock { running in
                    defer { running[key] += 1 }
                    return running[key]
                }
                #expect(others == 0)
                // Gives others time to join while this work runs.
                if number % 16 == 0 { usleep(50) }
                running.withLock { $0[key] -= 1 }
                leader.complete(number, keeping: number % 3 == 0 ? .whileJoined : .none)
                work.leave(subscription)
            case .completed:
                deliveries.withLock { $0[number] += 1 }
                work.leave(subscription)
            // Leaving before the outcome would abandon the work.
            case .waiter, .outdated: subscriptions.withLock { $0.append(subscription) }
            }
        }
        for subscription in subscriptions.withLock({ $0 }) { work.leave(subscription) }
        #expect(deliveries.withLock { $0.allSatisfy { $0 == 1 } })
        #expect(work.count == 0)
    }
}
