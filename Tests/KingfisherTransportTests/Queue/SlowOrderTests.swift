import Testing

@testable import KingfisherTransport

/// The decisions of ``TransferOrder`` about slow transfers, and about hosts beyond the total.
@Suite struct SlowOrderTests {
    private static func origin(_ host: String) -> Origin { Origin(scheme: "https", host: host, port: 443) }

    private static func order(_ change: (inout QueuedTransport.Limits) -> Void) -> TransferOrder {
        var limits = QueuedTransport.Limits()
        change(&limits)
        return TransferOrder(limits)
    }

    /// Enqueues transfers to a host, and starts all that may start.
    private static func run(
        _ count: Int, _ host: String, _ order: inout TransferOrder
    ) -> [TransferOrder.ID] {
        let ids = (0..<count).map { number in
            order.enqueue(at: origin(host), TransferOrder.Rank(priority: 0.5, arrival: UInt64(number)))
        }
        while order.next() != nil {}
        return ids
    }

    @Test("A slow transfer keeps its slot if no other waits")
    func noOtherWaits() {
        var order = Self.order { $0.perHost = 2 }
        let ids = Self.run(2, "a", &order)
        _ = Self.run(2, "b", &order)
        let first = order.yieldSlot(ids[0])
        #expect(first == .stays && order.running == 4 && order.outside == 0)
        let waiting = Self.run(1, "a", &order)
        #expect(order.waiting == 1)
        let others = [order.yieldSlot(waiting[0]), order.yieldSlot(99)]
        #expect(others == [.stays, .stays], "one is waiting, the other is unknown")
    }

    @Test("Slow transfers yield slots to waiting ones and continue outside, up to a limit for each host")
    func perHost() {
        var order = Self.order {
            $0.perHost = 3
            $0.slowPerHost = 2
        }
        let slow = Self.run(3, "a", &order)
        _ = Self.run(3, "a", &order)
        var yields: [TransferOrder.Yield] = []
        for id in slow {
            yields.append(order.yieldSlot(id))
            while order.next() != nil {}
        }
        #expect(yields == [.continuesOutside, .continuesOutside, .ends])
        #expect(order.running == 3 && order.outside == 2 && order.waiting == 0)
        for id in slow { order.finish(id, isMultiplexed: nil) }
        #expect(order.running == 3 && order.outside == 0 && order.waiting == 0)
    }

    @Test("Transfers outside the slots are limited by the host's slots and by a total")
    func limitsOutsideTheSlots() {
        var narrow = Self.order { $0.perHost = 1 }
        var yields: [TransferOrder.Yield] = []
        for id in Self.run(3, "a", &narrow) {
            yields.append(narrow.yieldSlot(id))
            while narrow.next() != nil {}
        }
        #expect(yields == [.continuesOutside, .ends, .stays])
        var few = Self.order {
            $0.perHost = 1
            $0.slowTotal = 1
        }
        yields = []
        for host in ["a", "b"] {
            let ids = Self.run(2, host, &few)
            yields.append(few.yieldSlot(ids[0]))
        }
        #expect(yields == [.continuesOutside, .ends])
    }

    @Test("When the total is full, a slow transfer of any host yields its slot")
    func fullTotal() {
        var order = Self.order { ($0.total, $0.reserve) = (2, 0) }
        let slow = Self.run(2, "a", &order)
        let other = Self.run(1, "b", &order)
        #expect(order.waiting == 1)
        let yield = order.yieldSlot(slow[0])
        let next = order.next()
        #expect(yield == .continuesOutside && next == other[0])
        let second = order.yieldSlot(slow[1])
        #expect(second == .stays)
    }

    @Test("An idle host may start one transfer beyond the total, within the reserve")
    func reserve() {
        var order = Self.order { ($0.total, $0.reserve, $0.perHost) = (4, 2, 4) }
        _ = Self.run(6, "busy", &order)
        #expect(order.running == 4)
        for host in ["b", "c", "d"] { _ = Self.run(2, host, &order) }
        #expect(order.running == 6 && order.waiting == 2 + 1 + 1 + 2)
        let direct = order.start(at: Self.origin("e"), TransferOrder.Rank(priority: 1, arrival: 9))
        #expect(direct == nil, "the reserve is used up")
    }

    @Test("An idle host starts immediately, even beyond the total")
    func startsDirectly() {
        var order = Self.order { ($0.total, $0.reserve) = (1, 1) }
        let rank = TransferOrder.Rank(priority: 0.5, arrival: 1)
        let first = order.start(at: Self.origin("a"), rank)
        let again = order.start(at: Self.origin("a"), rank)
        let other = order.start(at: Self.origin("b"), rank)
        #expect(first != nil && again == nil && other != nil && order.running == 2)
    }

    @Test("A host with a slow transfer outside the slots is not idle")
    func outsideIsNotIdle() {
        var order = Self.order { ($0.total, $0.reserve, $0.perHost) = (1, 5, 1) }
        let slow = Self.run(1, "a", &order)
        _ = Self.run(1, "b", &order)  // from the reserve
        let waiting = Self.run(2, "a", &order)
        let yield = order.yieldSlot(slow[0])
        #expect(yield == .continuesOutside && order.running == 1)
        let next = order.next()
        #expect(next == nil && order.waiting == waiting.count)
    }
}
