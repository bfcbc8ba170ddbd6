import Foundation
import Kingfisher

/// A change of one metric.
struct MetricUpdate: Hashable {
    struct Dimension: Hashable, Sendable {
        let name: String
        let value: String
    }

    struct Series: Hashable, Sendable {
        let label: String
        let dimensions: [Dimension]
    }

    enum Value: Hashable {
        case count(Int)
        case seconds(TimeInterval)
        case level(Int)
    }

    let series: Series
    let value: Value

    init(_ label: String, _ value: Value, _ dimensions: KeyValuePairs<String, String> = [:]) {
        series = Series(
            label: "kingfisher.\(label)",
            dimensions: dimensions.map { Dimension(name: $0.key, value: $0.value) })
        self.value = value
    }
}

extension KingfisherEvent {
    /// The changes of metrics by this event.
    var metricUpdates: [MetricUpdate] {
        switch self {
        case .requestFinished(_, let cacheType, let duration):
            Self.request(cacheType == .none ? "source" : "\(cacheType)", duration)
        case .requestFailed(_, _, let duration): Self.request("failed", duration)
        case .requestCancelled(_, let duration): Self.request("cancelled", duration)
        case .requestRetried: [MetricUpdate("request.retries", .count(1))]
        case .failureKnown: [MetricUpdate("failures.known", .count(1))]
        case .downloadFinished(_, _, let bytes, let duration):
            Self.download("finished", duration) + [MetricUpdate("download.bytes", .count(bytes))]
        case .downloadFailed(_, _, let duration): Self.download("failed", duration)
        case .downloadCancelled(_, isLast: true):
            [MetricUpdate("downloads", .count(1), ["result": "cancelled"])]
        case .processed(_, _, let isSuccess, let duration):
            Self.timed(
                "processed", "process.duration", duration, ["result": isSuccess ? "success" : "failed"])
        case .stored(_, let bytes):
            [MetricUpdate("stored", .count(1)), MetricUpdate("stored.bytes", .count(bytes))]
        case .admissionChanged(let bytes, let queue, let budget):
            [
                MetricUpdate("admission.bytes", .level(bytes)),
                MetricUpdate("admission.queue", .level(queue)),
                MetricUpdate("admission.budget", .level(budget)),
            ]
        case .admissionRefused: [MetricUpdate("admission.refused", .count(1))]
        default: tierUpdates
        }
    }

    private var tierUpdates: [MetricUpdate] {
        switch self {
        case .tierHit(let tier, _, let bytes, let duration): Self.read(tier, "hit", duration, bytes: bytes)
        case .tierStale(let tier, _, let bytes, let renews, let duration):
            Self.read(tier, renews ? "renewing" : "stale", duration, bytes: bytes)
        case .tierMissed(let tier, _, let reason, let duration): Self.read(tier, reason, duration)
        case .tierWritten(let tier, _, let bytes, let duration):
            [
                MetricUpdate("tier.writes", .count(1), ["tier": tier, "result": "written"]),
                MetricUpdate("tier.write.duration", .seconds(duration), ["tier": tier]),
                MetricUpdate("tier.write.bytes", .count(bytes), ["tier": tier]),
            ]
        case .tierWriteFailed(let tier, _, let reason):
            [MetricUpdate("tier.writes", .count(1), ["tier": tier, "result": reason])]
        case .tierNodeChanged(let node, let state):
            [
                MetricUpdate("tier.node.changes", .count(1), ["node": node, "state": state]),
                MetricUpdate("tier.node.open", .level(state == "open" ? 1 : 0), ["node": node]),
            ]
        default: []
        }
    }

    private static func request(_ result: String, _ duration: TimeInterval) -> [MetricUpdate] {
        timed("requests", "request.duration", duration, ["result": result])
    }

    private static func download(_ result: String, _ duration: TimeInterval) -> [MetricUpdate] {
        timed("downloads", "download.duration", duration, ["result": result])
    }

    private static func read(
        _ tier: String, _ result: String, _ duration: TimeInterval, bytes: Int? = nil
    ) -> [MetricUpdate] {
        timed("tier.reads", "tier.read.duration", duration, ["tier": tier, "result": result])
            + (bytes.map { [MetricUpdate("tier.read.bytes", .count($0), ["tier": tier])] } ?? [])
    }

    private static func timed(
        _ counter: String, _ timer: String, _ duration: TimeInterval,
        _ dimensions: KeyValuePairs<String, String>
    ) -> [MetricUpdate] {
        [MetricUpdate(counter, .count(1), dimensions), MetricUpdate(timer, .seconds(duration), dimensions)]
    }
}
