import Synchronization

/// Writes entries to one tier, one after the other, behind the requests that made them.
///
/// Bounded: where more wait than may, the oldest is dropped. Safe from any thread.
final class TierWriteQueue: Sendable {
    /// The most entries that wait, and the most bytes of them.
    static let limits = (count: 256, bytes: 32 << 20)

    private struct Order: Sendable {
        let entry: TierEntry
        let key: TierKey
        let lease: TierLease?
    }

    private struct State: Sendable {
        var orders: [Order] = []
        var bytes = 0
        var isRunning = false
    }

    private let tier: any CacheTier
    private let state = Mutex(State())

    init(_ tier: any CacheTier) { self.tier = tier }

    func write(_ entry: TierEntry, for key: TierKey, lease: TierLease?) {
        let (dropped, starts) = state.withLock { state in
            state.orders.append(Order(entry: entry, key: key, lease: lease))
            state.bytes += entry.data.count
            var dropped: [Order] = []
            while state.orders.count > Self.limits.count || state.bytes > Self.limits.bytes {
                dropped.append(Self.takeFirst(&state))
            }
            defer { state.isRunning = true }
            return (dropped, !state.isRunning)
        }
        for order in dropped { fail(order, "dropped") }
        if starts { Task.detached(priority: .utility) { [self] in await run() } }
    }

    private static func takeFirst(_ state: inout State) -> Order {
        let order = state.orders.removeFirst()
        state.bytes -= order.entry.data.count
        return order
    }

    private func run() async {
        while let order = next() { await write(order) }
    }

    private func next() -> Order? {
        state.withLock { state in
            state.isRunning = !state.orders.isEmpty
            return state.isRunning ? Self.takeFirst(&state) : nil
        }
    }

    private func write(_ order: Order) async {
        let start = ContinuousClock.now
        do throws(TierError) {
            try await Deadline.limit(tier.deadlines.write) { [tier] () async throws(TierError) in
                try await tier.write(order.entry, for: order.key, lease: order.lease)
            }
            KingfisherEvents.report(
                .tierWritten(
                    tier: tier.name, key: order.key.text.withoutUserInfo, bytes: order.entry.data.count,
                    duration: start.secondsAgo))
        } catch {
            fail(order, error.name)
        }
    }

    private func fail(_ order: Order, _ reason: String) {
        KingfisherEvents.report(
            .tierWriteFailed(tier: tier.name, key: order.key.text.withoutUserInfo, reason: reason))
        guard let lease = order.lease else { return }
        Task { [tier] in await tier.release(lease, for: order.key) }
    }
}

extension TierError {
    /// How events name the error.
    var name: String {
        switch self {
        case .unavailable: "unavailable"
        case .corrupt: "corrupt"
        case .tooLarge: "tooLarge"
        case .leaseLost: "leaseLost"
        case .deadline: "deadline"
        case .cancelled: "cancelled"
        }
    }
}
