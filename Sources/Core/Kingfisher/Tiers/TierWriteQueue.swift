import KingfisherTransport
import Synchronization

/// Writes entries and failures to one tier in the background, one after the other.
///
/// Bounded: if too many wait, the oldest are dropped. Safe from any thread.
final class TierWriteQueue: Sendable {
    static let limits = (count: 256, bytes: 32 << 20)

    private enum Content: Sendable {
        case entry(TierEntry)
        case failure(TierFailure)

        var bytes: Int { if case .entry(let entry) = self { entry.data.count } else { 0 } }
    }

    private struct PendingWrite: Sendable {
        let content: Content
        let key: TierKey
        let lease: TierLease?
    }

    private struct State: Sendable {
        var writes: [PendingWrite] = []
        var bytes = 0
        var isRunning = false
    }

    private let tier: any CacheTier
    private let environment: TierEnvironment
    private let state = Mutex(State())

    init(_ tier: any CacheTier, environment: TierEnvironment = TierEnvironment()) {
        self.tier = tier
        self.environment = environment
    }

    func write(_ entry: TierEntry, for key: TierKey, lease: TierLease?) {
        add(PendingWrite(content: .entry(entry), key: key, lease: lease))
    }

    func write(_ failure: TierFailure, for key: TierKey, lease: TierLease?) {
        add(PendingWrite(content: .failure(failure), key: key, lease: lease))
    }

    private func add(_ write: PendingWrite) {
        let (dropped, starts) = state.withLock { state in
            state.writes.append(write)
            state.bytes += write.content.bytes
            var dropped: [PendingWrite] = []
            while state.writes.count > Self.limits.count || state.bytes > Self.limits.bytes {
                dropped.append(Self.takeFirst(&state))
            }
            defer { state.isRunning = true }
            return (dropped, !state.isRunning)
        }
        for write in dropped { fail(write, "dropped") }
        guard starts else { return }
        Task.detached(executorPreference: environment.executor, priority: .utility) { [self] in await run() }
    }

    private static func takeFirst(_ state: inout State) -> PendingWrite {
        let write = state.writes.removeFirst()
        state.bytes -= write.content.bytes
        return write
    }

    private func run() async {
        while let write = next() { await perform(write) }
    }

    private func next() -> PendingWrite? {
        state.withLock { state in
            state.isRunning = !state.writes.isEmpty
            return state.isRunning ? Self.takeFirst(&state) : nil
        }
    }

    private func perform(_ write: PendingWrite) async {
        let start = ContinuousClock.now
        do throws(TierError) {
            try await Deadline.limit(tier.deadlines.write, in: environment, on: tier.executor) {
                [tier] () async throws(TierError) in
                switch write.content {
                case .entry(let entry): try await tier.write(entry, for: write.key, lease: write.lease)
                case .failure(let failure):
                    try await tier.writeNegative(failure, for: write.key, lease: write.lease)
                }
            }
            // Whether a tier has stored a failure is not known.
            guard case .entry = write.content else { return }
            KingfisherEvents.report(
                .tierWritten(
                    tier: tier.name, key: write.key.text.withoutUserInfo, bytes: write.content.bytes,
                    duration: start.secondsAgo))
        } catch {
            fail(write, error.name)
        }
    }

    private func fail(_ write: PendingWrite, _ reason: String) {
        KingfisherEvents.report(
            .tierWriteFailed(tier: tier.name, key: write.key.text.withoutUserInfo, reason: reason))
        guard let lease = write.lease else { return }
        Task(executorPreference: environment.executor) { [tier] in await tier.release(lease, for: write.key) }
    }
}

extension TierError {
    var name: String {
        switch self {
        case .unavailable(let error as any TierEngineError): "unavailable.\(error.eventName)"
        case .unavailable: "unavailable"
        case .corrupt: "corrupt"
        case .tooLarge: "tooLarge"
        case .leaseLost: "leaseLost"
        case .deadline: "deadline"
        case .cancelled: "cancelled"
        }
    }
}
