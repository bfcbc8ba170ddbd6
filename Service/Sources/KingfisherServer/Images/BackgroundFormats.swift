import KingfisherService
import ServiceLifecycle
import Synchronization

/// Makes the files that take long to encode, one after the other, after their requests were answered with
/// another format.
///
/// Waits while requests wait for memory. Forgets its queue when the server stops: the next request for such a
/// result queues it again. Safe from any thread.
final class BackgroundFormats: Service {
    /// Further files are dropped.
    static let maximumLength = 256
    /// How long a file that could not be made is not tried again.
    private static let pauseAfterFailure = Duration.seconds(600)

    private struct State: Sendable {
        var queued: Set<String> = []
        var failed: [String: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State())
    private let (loads, continuation): (AsyncStream<ServiceLoad>, AsyncStream<ServiceLoad>.Continuation)
    private let make: @Sendable (ServiceLoad) async throws -> Void
    private let server: ServerState
    private let metrics: ServerMetrics

    init(
        _ server: ServerState, _ metrics: ServerMetrics,
        make: @escaping @Sendable (ServiceLoad) async throws -> Void
    ) {
        (self.server, self.metrics, self.make) = (server, metrics, make)
        (loads, continuation) = AsyncStream.makeStream()
    }

    /// Queues a load, unless it is queued already, has failed lately, or the queue is full.
    func add(_ load: ServiceLoad) {
        let (key, now) = (load.key, ContinuousClock.now)
        let isNew = state.withLock { state in
            if let failure = state.failed[key], now - failure < Self.pauseAfterFailure { return false }
            guard !state.queued.contains(key) else { return false }
            guard state.queued.count < Self.maximumLength else {
                metrics.madeInBackground(.dropped)
                return false
            }
            state.queued.insert(key)
            metrics.setBackgroundQueueLength(state.queued.count)
            return true
        }
        if isNew { continuation.yield(load) }
    }

    /// Whether a load waits or is made.
    func has(_ load: ServiceLoad) -> Bool { state.withLock { $0.queued.contains(load.key) } }

    func run() async throws {
        for await load in loads.cancelOnGracefulShutdown() {
            await cancelWhenGracefulShutdown { [self] in await perform(load) }
        }
    }

    private func perform(_ load: ServiceLoad) async {
        while server.isQueueing, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(100)) }
        let outcome: ServerMetrics.BackgroundOutcome?
        do {
            try await make(load)
            outcome = .made
        } catch {
            outcome = Task.isCancelled ? nil : .failed
        }
        if let outcome { metrics.madeInBackground(outcome) }
        state.withLock { state in
            let key = load.key
            state.queued.remove(key)
            metrics.setBackgroundQueueLength(state.queued.count)
            guard outcome == .failed else { return }
            // Bounded like the queue; the oldest failure may be tried again.
            if state.failed.count == Self.maximumLength,
                let oldest = state.failed.min(by: { $0.value < $1.value })
            {
                state.failed[oldest.key] = nil
            }
            state.failed[key] = .now
        }
    }
}
