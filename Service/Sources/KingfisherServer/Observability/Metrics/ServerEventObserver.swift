public import Kingfisher

/// Brings the events of the library into the metrics of a server, and into the timers of its requests.
///
/// Events do not name a manager: a server with several memory budgets shows the last one that changed.
public final class ServerEventObserver: KingfisherEventObserver {
    private let metrics: ServerMetrics
    private let timers: RequestTimers?

    /// Creates an observer, to be added to `KingfisherEvents`.
    public init(_ metrics: ServerMetrics, timers: RequestTimers? = nil) {
        (self.metrics, self.timers) = (metrics, timers)
    }

    public func kingfisher(didReport event: KingfisherEvent) {
        switch event {
        case .admissionChanged(let bytes, let queueLength, let budget):
            metrics.setMemory(reserved: bytes, of: budget, queueLength: queueLength)
        case .downloadFinished(_, _, _, let duration), .downloadFailed(_, _, let duration):
            metrics.record(.downloading, .seconds(bounded: duration))
        case .processed(_, _, _, let duration): metrics.record(.processing, .seconds(bounded: duration))
        default: break
        }
        timers?.receive(event)
    }
}
