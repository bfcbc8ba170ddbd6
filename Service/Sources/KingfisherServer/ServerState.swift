import Hummingbird
import Synchronization

/// What a server does now, for readiness and metrics. Safe from any thread.
final class ServerState: Sendable {
    /// How long the queue must be full until the server is not ready.
    static let patience = Duration.seconds(5)

    private struct Values: Sendable {
        var isStopping = false
        var isQueueing = false
        var queueIsFullSince: ContinuousClock.Instant?
    }

    private let values = Mutex(Values())

    var isStopping: Bool { values.withLock(\.isStopping) }

    func stop() { values.withLock { $0.isStopping = true } }

    /// Whether loads wait for memory.
    var isQueueing: Bool { values.withLock(\.isQueueing) }

    func queueChanged(waiting: Int, of maximum: Int, at now: ContinuousClock.Instant = .now) {
        values.withLock { values in
            values.isQueueing = waiting > 0
            values.queueIsFullSince = waiting >= maximum ? values.queueIsFullSince ?? now : nil
        }
    }

    /// Whether a load balancer should send requests.
    func isReady(at now: ContinuousClock.Instant = .now) -> Bool {
        values.withLock { values in
            !values.isStopping && values.queueIsFullSince.map { now - $0 < Self.patience } ?? true
        }
    }

    var readiness: Response {
        isReady() ? .line(.ok, "ready") : .line(.serviceUnavailable, isStopping ? "stopping" : "overloaded")
    }
}
