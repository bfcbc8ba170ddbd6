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

        mutating func next() -> TransferOrder.ID? {
            guard running.count < limits.total + limits.reserve else { return nil }
            let isBeyondTotal = running.count >= limits.total
            let free = waiting.indices.filter { index in
                let host = waiting[index].host
                if isBeyondTotal { return isIdle(host) }
                let limit = multiplexing.contains(host) ? limits.perMultiplexedHost : limits.perHost
                return running.count { $0.host == host } < limit
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
                running.count >= limits.total
                && waiting.contains { entry in
                    let limit =
                        multiplexing.contains(entry.host) ? limits.perMultiplexedHost : limits.perHost
                    return running.count { $0.host == entry.host } < limit
                }
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

    @Test("Random operations give the same results as the model", arguments: 1...20)
    func behavesLikeTheModel(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var limits = Self.limits(perHost: .random(in: 1...3, using: &random), total: 7)
        limits.perMultiplexedHost = 5
        (limits.reserve, limits.slowPerHost, limits.slowTotal) = (2, 2, 3)
        var order = TransferOrder(limits)
        var model = Model(limits: limits)
        for step in 0..<3_000 as Range<UInt64> {
            let priority = Float(Int.random(in: 0...4, using: &random)) / 4
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3:
                let host = Int.random(in: 0..<5, using: &random)
                let rank = Self.rank(priority, step)
                if Bool.random(using: &random) {
                    let id = order.start(at: Self.origin("\(host)"), rank)
                    try #require(model.start(id, host, rank) == (id != nil), "seed \(seed), step \(step)")
                } else {
                    model.waiting.append((order.enqueue(at: Self.origin("\(host)"), rank), host, rank))
                }
            case 4...5:
                guard let index = model.running.indices.randomElement(using: &random) else { continue }
                let (id, host) = model.running.remove(at: index)
                let answers: [Bool?] = [true, false, nil, nil]
                let isMultiplexed = answers.randomElement(using: &random) ?? nil
                order.finish(id, isMultiplexed: isMultiplexed)
                if isMultiplexed == true { model.multiplexing.insert(host) }
                if isMultiplexed == false { model.multiplexing.remove(host) }
            case 6:
                guard let index = model.waiting.indices.randomElement(using: &random) else { continue }
                let isWithdrawn = order.withdraw(model.waiting.remove(at: index).id)
                try #require(isWithdrawn)
            case 7:
                guard let index = model.waiting.indices.randomElement(using: &random) else { continue }
                model.waiting[index].rank = Self.rank(priority, model.waiting[index].rank.arrival)
                order.reprioritise(model.waiting[index].id, to: priority)
            case 8:
                guard let (id, _) = model.running.randomElement(using: &random) else { continue }
                let (ours, expected) = (order.yieldSlot(id), model.yieldSlot(id))
                try #require(ours == expected, "seed \(seed), step \(step)")
            case 9:
                guard let index = model.outside.indices.randomElement(using: &random) else { continue }
                order.finish(model.outside.remove(at: index).id, isMultiplexed: nil)
            default:
                let (ours, expected) = (order.next(), model.next())
                try #require(ours == expected, "seed \(seed), step \(step)")
            }
            try #require(order.waiting == model.waiting.count && order.running == model.running.count)
        }
    }
}
