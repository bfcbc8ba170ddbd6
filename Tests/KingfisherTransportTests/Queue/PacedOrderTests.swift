import Testing

@testable import KingfisherTransport

/// The order of transfers with a rate, and after refusals by servers.
@Suite struct PacedOrderTests {
    private let start = MonotonicTime.now

    private func origin(_ host: String) -> Origin { Origin(scheme: "https", host: host, port: 443) }

    private func rank(_ arrival: UInt64, _ priority: Float = 0.5) -> TransferOrder.Rank {
        TransferOrder.Rank(priority: priority, arrival: arrival)
    }

    private func order(_ rate: RequestRate?, perHost: Int = 6, total: Int = 1_000) -> TransferOrder {
        var limits = QueuedTransport.Limits()
        (limits.perHost, limits.total, limits.reserve) = (perHost, total, 0)
        var order = TransferOrder(limits, at: start)
        order.setRate(rate, at: start)
        return order
    }

    private func startNow(_ host: String, _ arrival: UInt64, _ order: inout TransferOrder)
        -> TransferOrder.ID?
    {
        order.start(at: origin(host), rank(arrival))
    }

    private func yieldSlot(_ id: TransferOrder.ID, _ order: inout TransferOrder) -> TransferOrder.Yield {
        order.yieldSlot(id)
    }

    private func started(_ order: inout TransferOrder) -> [TransferOrder.ID] {
        var started: [TransferOrder.ID] = []
        while let id = order.next() { started.append(id) }
        return started
    }

    @Test("A host without a token waits until it is due, and others do not wait for it")
    func otherHosts() {
        var order = order(RequestRate(requestsPerSecond: 1, burst: 2))
        let busy = (1...4).map { order.enqueue(at: origin("busy"), rank($0, 0.9)) }
        let other = order.enqueue(at: origin("other"), rank(5, 0.1))
        #expect(started(&order) == [busy[0], busy[1], other])
        #expect(order.waiting == 2 && order.nextDue == start + .seconds(1))
        order.advance(to: start + .milliseconds(999))
        #expect(started(&order) == [])
        order.advance(to: start + .seconds(1))
        #expect(started(&order) == [busy[2]] && order.nextDue == start + .seconds(2))
        order.advance(to: start + .seconds(60))
        #expect(started(&order) == [busy[3]] && order.nextDue == nil)
    }

    @Test("A transfer that starts without waiting takes a token, and does not pass a waiting one")
    func immediateStart() {
        var order = order(RequestRate(requestsPerSecond: 1))
        #expect(startNow("a", 1, &order) != nil)
        #expect(startNow("a", 2, &order) == nil)
        let waiting = order.enqueue(at: origin("a"), rank(2))
        order.advance(to: start + .seconds(1))
        #expect(startNow("a", 3, &order) == nil)
        #expect(started(&order) == [waiting])
        #expect(startNow("b", 4, &order) != nil)
    }

    @Test("A due transfer still waits for a slot")
    func slots() {
        var order = order(RequestRate(requestsPerSecond: 1), perHost: 1)
        let ids = (1...2).map { order.enqueue(at: origin("a"), rank($0)) }
        #expect(started(&order) == [ids[0]])
        order.advance(to: start + .seconds(5))
        #expect(started(&order) == [] && order.nextDue == nil)
        order.finish(ids[0], isMultiplexed: false)
        #expect(started(&order) == [ids[1]])
    }

    @Test("A finished host keeps its bucket")
    func finishedHost() throws {
        var order = order(RequestRate(requestsPerSecond: 1))
        let started = startNow("a", 1, &order)
        let id = try #require(started)
        order.finish(id, isMultiplexed: false)
        #expect(startNow("a", 2, &order) == nil)
        _ = order.enqueue(at: origin("a"), rank(2))
        #expect(order.nextDue == start + .seconds(1))
    }

    @Test("Of the transfers of a host, the one of highest priority takes the next token")
    func priorities() {
        var order = order(RequestRate(requestsPerSecond: 1))
        let ids = (1...3).map { order.enqueue(at: origin("a"), rank($0)) }
        #expect(started(&order) == [ids[0]])
        order.reprioritise(ids[2], to: 1)
        order.advance(to: start + .seconds(1))
        #expect(started(&order) == [ids[2]])
    }

    @Test("A withdrawn transfer takes no token and needs no wake-up")
    func withdrawal() {
        var order = order(RequestRate(requestsPerSecond: 1))
        let ids = (1...2).map { order.enqueue(at: origin("a"), rank($0)) }
        #expect(started(&order) == [ids[0]])
        let isWithdrawn = order.withdraw(ids[1])
        #expect(isWithdrawn && order.nextDue == nil && order.waiting == 0)
        order.advance(to: start + .seconds(1))
        #expect(startNow("a", 3, &order) != nil)
    }

    @Test("A removed or raised rate lets waiting transfers start")
    func changedRate() {
        for rate in [nil, RequestRate(requestsPerSecond: 100, burst: 5)] {
            var order = order(RequestRate(requestsPerSecond: 0.01))
            let ids = (1...3).map { order.enqueue(at: origin("a"), rank($0)) }
            #expect(started(&order) == [ids[0]])
            order.setRate(rate, at: start)
            #expect(started(&order) == [ids[1], ids[2]])
        }
    }

    @Test("Without a rate a refusal blocks nothing")
    func unpaced() throws {
        var order = order(nil)
        let running = startNow("a", 1, &order)
        let first = try #require(running)
        let outcome = order.block(first, for: .seconds(100), at: start)
        #expect(outcome == nil && !order.isPaced && order.refusal(origin("a")) == nil)
        #expect(startNow("a", 2, &order) != nil)
    }

    @Test("A host that refuses requests is blocked, and opens again")
    func block() throws {
        var order = order(.unlimited)
        let running = startNow("a", 1, &order)
        let first = try #require(running)
        let outcome = order.block(first, for: .seconds(5), at: start)
        #expect(outcome == nil)
        #expect(startNow("a", 2, &order) == nil)
        #expect(startNow("b", 3, &order) != nil)
        let waiting = order.enqueue(at: origin("a"), rank(2))
        #expect(started(&order) == [] && order.nextDue == start + .seconds(5))
        order.finish(first, isMultiplexed: false)
        #expect(started(&order) == [])
        order.advance(to: start + .seconds(5))
        #expect(started(&order) == [waiting] && order.nextDue == nil)
    }

    @Test("A long refusal withdraws the waiting transfers of the host only")
    func longBlock() throws {
        var order = order(.unlimited, perHost: 1)
        let running = startNow("a", 1, &order)
        let first = try #require(running)
        let waiting = (2...4).map { order.enqueue(at: origin("a"), rank($0)) }
        let other = (5...6).map { order.enqueue(at: origin("b"), rank($0)) }
        #expect(started(&order) == [other[0]])
        let refused = order.block(first, for: .seconds(61), at: start)
        let outcome = try #require(refused)
        #expect(outcome.withdrawn == waiting && outcome.wait == .seconds(61))
        #expect(order.waiting == 1 && order.nextDue == nil)
        #expect(order.refusal(origin("a")) == .seconds(61) && order.refusal(origin("b")) == nil)
        order.advance(to: start + .seconds(1))
        #expect(order.refusal(origin("a")) == nil)
    }

    @Test("A slow transfer keeps its slot while the transfers that wait for it are not due")
    func slowTransfers() {
        var order = order(RequestRate(requestsPerSecond: 1), perHost: 1)
        let ids = (1...2).map { order.enqueue(at: origin("a"), rank($0)) }
        #expect(started(&order) == [ids[0]])
        #expect(yieldSlot(ids[0], &order) == .stays)
        order.advance(to: start + .seconds(1))
        #expect(yieldSlot(ids[0], &order) == .continuesOutside)
        #expect(started(&order) == [ids[1]])
    }

    @Test("Times that go back do not delay a transfer")
    func timeGoesBack() {
        var order = order(RequestRate(requestsPerSecond: 1))
        let ids = (1...2).map { order.enqueue(at: origin("a"), rank($0)) }
        #expect(started(&order) == [ids[0]])
        order.advance(to: start + .seconds(1))
        order.advance(to: start - .seconds(1))
        #expect(started(&order) == [ids[1]])
    }
}
