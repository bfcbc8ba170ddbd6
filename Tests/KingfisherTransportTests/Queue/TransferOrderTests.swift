import KingfisherTestSupport
import Testing
import TestHelpers

@testable import KingfisherTransport

@Suite struct TransferOrderTests {
    /// Starts transfers that may start, up to a number.
    private static func start(_ count: Int, of order: inout TransferOrder) -> [TransferOrder.ID] {
        var started: [TransferOrder.ID] = []
        while started.count < count, let id = order.next() { started.append(id) }
        return started
    }

    private static func origin(_ host: String) -> Origin { Origin(scheme: "https", host: host, port: 443) }

    private static func limits(perHost: Int, total: Int = 1_000) -> QueuedTransport.Limits {
        var limits = QueuedTransport.Limits()
        (limits.perHost, limits.total, limits.reserve) = (perHost, total, 0)
        return limits
    }

    private static func rank(_ priority: Float, _ arrival: UInt64) -> TransferOrder.Rank {
        TransferOrder.Rank(priority: priority, arrival: arrival)
    }

    /// Names of transfers, host first, in the order in which they start one at a time.
    private static func drained(_ transfers: [(name: String, priority: Float)], perHost: Int = 1) -> [String]
    {
        var order = TransferOrder(limits(perHost: perHost, total: 1))
        var names: [TransferOrder.ID: String] = [:]
        for (arrival, transfer) in transfers.enumerated() {
            let host = origin(String(transfer.name.prefix(1)))
            let id = order.enqueue(at: host, rank(transfer.priority, UInt64(arrival)))
            names[id] = transfer.name
        }
        var started: [String] = []
        while let id = order.next() {
            started.append(names[id] ?? "?")
            order.finish(id, isMultiplexed: nil)
        }
        return started
    }

    @Test(
        "The highest priority starts first, equal ones in the order of their arrival", .behaviours("N-16"),
        arguments: [
            ([("a1", 0.5), ("a2", 0.5), ("a3", 0.5)], ["a1", "a2", "a3"]),
            ([("a1", 0.1), ("a2", 0.9), ("a3", 0.5)], ["a2", "a3", "a1"]),
            ([("a1", 0.5), ("a2", 0.9), ("a3", 0.5), ("a4", 0.9)], ["a2", "a4", "a1", "a3"]),
            ([("a1", 0.5), ("b1", 0.6), ("a2", 0.7), ("b2", 0.6)], ["a2", "b1", "b2", "a1"]),
            ([("a1", 7), ("a2", 1), ("a3", -3), ("a4", 0)], ["a1", "a2", "a3", "a4"]),
            ([("a1", 0.4), ("a2", .nan), ("a3", 0.6)], ["a3", "a2", "a1"]),
        ] as [([(String, Float)], [String])])
    func startsByPriority(_ transfers: [(String, Float)], _ expected: [String]) {
        #expect(Self.drained(transfers.map { ($0.0, $0.1) }) == expected)
    }

    @Test func fullHostDoesNotDelayOthers() {
        var order = TransferOrder(Self.limits(perHost: 2))
        let busy = (1...4).map { order.enqueue(at: Self.origin("busy"), Self.rank(0.9, $0)) }
        let other = order.enqueue(at: Self.origin("other"), Self.rank(0.1, 5))
        let first = Self.start(9, of: &order)
        #expect(first == [busy[0], busy[1], other] && order.running == 3 && order.waiting == 2)
        order.finish(busy[1], isMultiplexed: false)
        let second = Self.start(9, of: &order)
        #expect(second == [busy[2]])
    }

    @Test func totalLimitHoldsAcrossHosts() {
        var order = TransferOrder(Self.limits(perHost: 6, total: 3))
        let ids = (1...5).map { order.enqueue(at: Self.origin("host\($0)"), Self.rank(0.5, $0)) }
        let first = Self.start(9, of: &order)
        #expect(first == Array(ids[0...2]))
        order.finish(ids[2], isMultiplexed: false)
        let second = Self.start(9, of: &order)
        #expect(second == [ids[3]])
    }

    @Test func limitsBelowOneAreOne() {
        var order = TransferOrder(Self.limits(perHost: 0, total: -1))
        let ids = (1...2).map { order.enqueue(at: Self.origin("a"), Self.rank(0.5, $0)) }
        let started = Self.start(9, of: &order)
        #expect(started == [ids[0]])
    }

    @Test func multiplexingHostGetsMoreSlots() {
        var limits = Self.limits(perHost: 1)
        limits.perMultiplexedHost = 3
        var order = TransferOrder(limits)
        let ids = (1...8).map { order.enqueue(at: Self.origin("a"), Self.rank(0.5, $0)) }
        let alone = Self.start(9, of: &order)
        #expect(alone == [ids[0]])
        order.finish(ids[0], isMultiplexed: true)
        let together = Self.start(9, of: &order)
        #expect(together == Array(ids[1...3]))
        order.finish(ids[1], isMultiplexed: nil)  // A failure leaves the protocol unknown.
        let another = Self.start(9, of: &order)
        #expect(another == [ids[4]])
        order.finish(ids[2], isMultiplexed: false)  // The server no longer multiplexes.
        let none = Self.start(9, of: &order)
        #expect(none == [] && order.running == 2)
    }

    @Test func onlyWaitingTransfersCanBeMovedOrWithdrawn() {
        var order = TransferOrder(Self.limits(perHost: 1))
        let ids = (1...4).map { order.enqueue(at: Self.origin("a"), Self.rank(0.5, $0)) }
        let first = Self.start(9, of: &order)
        #expect(first == [ids[0]])
        order.reprioritise(ids[0], to: 0)
        order.reprioritise(ids[3], to: 0.8)
        let withdrawn = [ids[0], ids[1], ids[1]].map { order.withdraw($0) }
        #expect(withdrawn == [false, true, false])
        for id in [ids[1], ids[0], ids[0]] { order.finish(id, isMultiplexed: nil) }
        let second = Self.start(9, of: &order)
        #expect(second == [ids[3]])
        order.finish(ids[3], isMultiplexed: nil)
        let third = Self.start(9, of: &order)
        #expect(third == [ids[2]] && order.running == 1 && order.waiting == 0)
    }

    /// A reference implementation of `TransferOrder` with linear searches.
    private struct Model {
        var waiting: [(id: TransferOrder.ID, host: Int, rank: TransferOrder.Rank)] = []
        var running: [(id: TransferOrder.ID, host: Int)] = []
        var outside: [(id: TransferOrder.ID, host: Int, isEnding: Bool)] = []
        var multiplexing: Set<Int> = []
        let limits: QueuedTransport.Limits

        /// Hosts 0 to 5 are ports of two hosts with an address policy; the others have one port.
        static func sharesHost(_ host: Int) -> Bool { host < 6 }

        static func origin(_ host: Int) -> Origin {
            Origin(scheme: "https", host: sharesHost(host) ? "\(host / 3)" : "\(host)", port: 443 + host)
        }

        private func mayStart(_ host: Int) -> Bool {
            let limit = multiplexing.contains(host) ? limits.perMultiplexedHost : limits.perHost
            guard running.count(where: { $0.host == host }) < limit else { return false }
            guard Self.sharesHost(host) else { return true }
            let started = (running.map(\.host) + outside.map(\.host)).filter { $0 / 3 == host / 3 }
            let known = started + waiting.map(\.host).filter { $0 / 3 == host / 3 }
            let multiplexes = known.contains(where: multiplexing.contains)
            let most = multiplexes ? limits.perMultiplexedHost + limits.slowOfOneHost : 0
            return started.count < max(4 * limits.perHost, most)
        }

        mutating func next() -> TransferOrder.ID? {
            guard running.count < limits.total + limits.reserve else { return nil }
            let isBeyondTotal = running.count >= limits.total
            let free = waiting.indices.filter { index in
                let host = waiting[index].host
                return mayStart(host) && (!isBeyondTotal || isIdle(host))
            }
            guard let best = free.min(by: { waiting[$0].rank < waiting[$1].rank }) else { return nil }
            let chosen = waiting.remove(at: best)
            running.append((chosen.id, chosen.host))
            return chosen.id
        }

        private func isIdle(_ host: Int) -> Bool {
            !(running.map(\.host) + outside.map(\.host)).contains(host)
        }

        mutating func yieldSlot(_ id: TransferOrder.ID) -> TransferOrder.Yield {
            guard let index = running.firstIndex(where: { $0.id == id }) else { return .stays }
            let host = running[index].host
            let limit = multiplexing.contains(host) ? limits.perMultiplexedHost : limits.perHost
            let isHostFull = running.count { $0.host == host } >= limit
            let waitsHere = isHostFull && waiting.contains { $0.host == host }
            let waitsElsewhere =
                running.count >= limits.total && waiting.contains { mayStart($0.host) }
            guard waitsHere || waitsElsewhere else { return .stays }
            let continuing = outside.filter { !$0.isEnding }
            let fits =
                continuing.count { $0.host == host } < min(limits.slowPerHost, limits.perHost)
                && continuing.count < limits.slowTotal
            outside.append((id, host, !fits))
            running.remove(at: index)
            return fits ? .continuesOutside : .ends
        }

        /// Starts a new transfer if it is the only one that may start.
        mutating func start(_ id: TransferOrder.ID?, _ host: Int, _ rank: TransferOrder.Rank) -> Bool {
            var trial = self
            guard trial.next() == nil else { return false }
            trial.waiting.append((id ?? .max, host, rank))
            guard trial.next() != nil else { return false }
            self = trial
            return true
        }
    }

    /// An order and its model, to which each step does the same.
    private struct Comparison {
        var order: TransferOrder
        var model: Model
        var random: SeededGenerator

        mutating func take(_ step: UInt64) throws {
            let priority = Float(Int.random(in: 0...4, using: &random)) / 4
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3: try add(TransferOrderTests.rank(priority, step))
            case 4...5: finishRunning()
            case 6:
                guard let index = model.waiting.indices.randomElement(using: &random) else { return }
                let isWithdrawn = order.withdraw(model.waiting.remove(at: index).id)
                try #require(isWithdrawn)
            case 7:
                guard let index = model.waiting.indices.randomElement(using: &random) else { return }
                model.waiting[index].rank = TransferOrderTests.rank(
                    priority, model.waiting[index].rank.arrival)
                order.reprioritise(model.waiting[index].id, to: priority)
            case 8:
                guard let (id, _) = model.running.randomElement(using: &random) else { return }
                let (ours, expected) = (order.yieldSlot(id), model.yieldSlot(id))
                try #require(ours == expected, "step \(step)")
            case 9:
                guard let index = model.outside.indices.randomElement(using: &random) else { return }
                order.finish(model.outside.remove(at: index).id, isMultiplexed: nil)
            default:
                let (ours, expected) = (order.next(), model.next())
                try #require(ours == expected, "step \(step)")
            }
        }

        private mutating func add(_ rank: TransferOrder.Rank) throws {
            let host = Int.random(in: 0..<8, using: &random)
            let (origin, sharesHost) = (Model.origin(host), Model.sharesHost(host))
            if Bool.random(using: &random) {
                let id = order.start(at: origin, rank, sharesHost: sharesHost)
                let isStarted = model.start(id, host, rank)
                try #require(isStarted == (id != nil), "step \(rank.arrival)")
            } else {
                let id = order.enqueue(at: origin, rank, sharesHost: sharesHost)
                model.waiting.append((id, host, rank))
            }
        }

        private mutating func finishRunning() {
            guard let index = model.running.indices.randomElement(using: &random) else { return }
            let (id, host) = model.running.remove(at: index)
            let answers: [Bool?] = [true, false, nil, nil]
            let isMultiplexed = answers.randomElement(using: &random) ?? nil
            order.finish(id, isMultiplexed: isMultiplexed)
            if isMultiplexed == true { model.multiplexing.insert(host) }
            if isMultiplexed == false { model.multiplexing.remove(host) }
        }
    }

    @Test("The ports of a host with an address policy share four times the slots of a host")
    func sharedHost() {
        var order = TransferOrder(Self.limits(perHost: 2))
        func origin(_ port: Int) -> Origin { Origin(scheme: "http", host: "a", port: port) }
        let ids = (1...20).map {
            order.enqueue(at: origin($0), Self.rank(0.5, UInt64($0)), sharesHost: true)
        }
        let other = order.enqueue(at: Self.origin("b"), Self.rank(0.1, 30), sharesHost: true)
        let first = Self.start(30, of: &order)
        #expect(first == Array(ids[0..<8]) + [other])
        // Each end lets the best one of the host start; the ports that never had a transfer do not matter.
        order.reprioritise(ids[15], to: 0.9)
        order.finish(ids[0], isMultiplexed: nil)
        let second = Self.start(30, of: &order)
        #expect(second == [ids[15]])
        let full = order.start(at: origin(99), Self.rank(1, 31), sharesHost: true)
        let free = order.start(at: Self.origin("c"), Self.rank(1, 32), sharesHost: true)
        #expect(full == nil && free != nil)
        for id in ids where !order.withdraw(id) { order.finish(id, isMultiplexed: nil) }
        let last = order.start(at: origin(99), Self.rank(1, 33), sharesHost: true)
        #expect(last != nil && order.waiting == 0)
    }

    @Test("Without an address policy each port has the slots of a host")
    func separatePorts() {
        var order = TransferOrder(Self.limits(perHost: 2))
        let ids = (1...20).map {
            order.enqueue(at: Origin(scheme: "http", host: "a", port: $0), Self.rank(0.5, UInt64($0)))
        }
        let started = Self.start(30, of: &order)
        #expect(started == ids)
    }

    @Test("A shared host that uses HTTP/2 has the slots of one such origin in all")
    func sharedMultiplexedHost() {
        var limits = Self.limits(perHost: 1)
        (limits.perMultiplexedHost, limits.slowPerHost) = (6, 1)
        var order = TransferOrder(limits)
        func origin(_ port: UInt64) -> Origin { Origin(scheme: "https", host: "a", port: Int(port)) }
        let first = order.start(at: origin(1), Self.rank(0.5, 0), sharesHost: true)
        for number in 1...20 as ClosedRange<UInt64> {
            _ = order.enqueue(at: origin(number % 2 + 1), Self.rank(0.5, number), sharesHost: true)
        }
        order.finish(first ?? 0, isMultiplexed: true)
        let started = Self.start(30, of: &order)
        #expect(started.count == 7, "six on port 1, and one on port 2")
        for id in started { order.finish(id, isMultiplexed: true) }
        let next = Self.start(30, of: &order)
        #expect(next.count == 7, "both ports use HTTP/2, and share the slots of one")
    }

    @Test("One host may have a quarter of the waiting transfers, and a few hosts leave room for others")
    func waitLimit() {
        var order = TransferOrder(Self.limits(perHost: 1))
        var arrival: UInt64 = 0
        func fill(_ host: String, port: Int = 443, sharesHost: Bool = false) -> Int {
            let origin = Origin(scheme: "https", host: host, port: port)
            var count = 0
            while order.mayWait(at: origin, sharesHost: sharesHost, limit: 80) {
                arrival += 1
                _ = order.enqueue(
                    at: origin, Self.rank(0.5, arrival), sharesHost: sharesHost, isLimited: true)
                count += 1
            }
            return count
        }
        // Transfers without a limit do not count.
        for number in 1...200 { _ = order.enqueue(at: Self.origin("a"), Self.rank(0.5, UInt64(number))) }
        #expect(fill("a") == 20)
        #expect(fill("b", port: 1, sharesHost: true) == 20)
        #expect(fill("b", port: 2, sharesHost: true) == 0, "the ports of a host share its part")
        #expect(fill("c") == 20)
        #expect(fill("d") == 10, "half of the rest")
        #expect(fill("e") == 5)
        #expect(order.limited == 75 && order.mayWait(at: Self.origin("f"), limit: 80))
    }

    @Test("A transfer that starts or is withdrawn makes room for another one")
    func waitLimitAfterStart() {
        var order = TransferOrder(Self.limits(perHost: 1))
        let host = Self.origin("a")
        let ids = (1...2).map { order.enqueue(at: host, Self.rank(0.5, $0), isLimited: true) }
        #expect(!order.mayWait(at: host, limit: 8))
        let started = order.next()
        #expect(started == ids[0] && order.mayWait(at: host, limit: 8))
        let isWithdrawn = order.withdraw(ids[1])
        #expect(isWithdrawn && order.limited == 0)
        #expect(order.mayWait(at: host, limit: 1) && !order.mayWait(at: host, limit: 0))
    }

    @Test("Random operations give the same results as the model", arguments: 1...20)
    func behavesLikeTheModel(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var limits = Self.limits(perHost: .random(in: 1...2, using: &random), total: 12)
        limits.perMultiplexedHost = 5
        (limits.reserve, limits.slowPerHost, limits.slowTotal) = (2, 2, 3)
        var pair = Comparison(order: TransferOrder(limits), model: Model(limits: limits), random: random)
        for step in 0..<3_000 as Range<UInt64> {
            try pair.take(step)
            let (order, model) = (pair.order, pair.model)
            try #require(order.waiting == model.waiting.count && order.running == model.running.count)
        }
    }
}
