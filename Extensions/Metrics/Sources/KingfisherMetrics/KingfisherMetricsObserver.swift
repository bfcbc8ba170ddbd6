public import CoreMetrics
public import Kingfisher
import Synchronization

/// Counts the library's events with swift-metrics.
///
///     KingfisherEvents.add(KingfisherMetricsObserver())
///
/// Counters, unless another kind is named, with their dimensions. Names begin with `kingfisher.`:
///
/// - `requests`, and the timer `request.duration`. `result`: memory, disk, source, failed or cancelled.
/// - `request.retries`, `failures.known`.
/// - `downloads`, and the timer `download.duration`. `result`: finished, failed or cancelled.
/// - `download.bytes`.
/// - `processed`, and the timer `process.duration`. `result`: success or failed.
/// - `stored`, `stored.bytes`.
/// - `admission.bytes`, `admission.queue` and `admission.budget`: gauges. `admission.refused`.
/// - `tier.reads`, and the timer `tier.read.duration`. `tier`; `result`: hit, stale, renewing (stale, with
///   the lease), or the reason of `KingfisherEvent.tierMissed`.
/// - `tier.read.bytes`. `tier`.
/// - `tier.writes`. `tier`; `result`: written, or the reason of `KingfisherEvent.tierWriteFailed`, such as
///   dropped.
/// - `tier.write.bytes`, and the timer `tier.write.duration`. `tier`.
/// - `tier.node.changes`. `node`; `state`: open, probing or closed.
/// - `tier.node.open`: a gauge, 1 while the circuit breaker of a node is open, 0 otherwise. `node`.
///
/// A request with `.onlyFromCache` that finds nothing counts as failed.
/// No dimension has a URL or a key, so the number of series is bounded. Safe from any thread.
public final class KingfisherMetricsObserver: KingfisherEventObserver {
    private enum Instrument: Sendable {
        case counter(Counter)
        case timer(CoreMetrics.Timer)
        case gauge(Gauge)
    }

    private let factory: any MetricsFactory
    private let instruments = Mutex<[MetricUpdate.Series: Instrument]>([:])

    /// Creates an observer that makes its metrics by `factory`. By default the one of `MetricsSystem`, which
    /// the program bootstraps before.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
    }

    public func kingfisher(didReport event: KingfisherEvent) {
        for update in event.metricUpdates { apply(update) }
    }

    private func apply(_ update: MetricUpdate) {
        switch (instrument(of: update), update.value) {
        case (.counter(let counter), .count(let number)): counter.increment(by: number)
        case (.timer(let timer), .seconds(let seconds)):
            timer.recordNanoseconds(Int64(min(max(0, seconds), 1e9) * 1e9))
        case (.gauge(let gauge), .level(let number)): gauge.record(number)
        default: break
        }
    }

    private func instrument(of update: MetricUpdate) -> Instrument {
        let series = update.series
        if let known = instruments.withLock({ $0[series] }) { return known }
        // Outside of the lock, because a factory is foreign code. If two threads make one, the first stays.
        let made = make(update)
        return instruments.withLock { instruments in
            if let known = instruments[series] { return known }
            instruments[series] = made
            return made
        }
    }

    private func make(_ update: MetricUpdate) -> Instrument {
        let (label, dimensions) = (update.series.label, update.series.dimensions.map { ($0.name, $0.value) })
        return switch update.value {
        case .count: .counter(Counter(label: label, dimensions: dimensions, factory: factory))
        case .seconds: .timer(CoreMetrics.Timer(label: label, dimensions: dimensions, factory: factory))
        case .level: .gauge(Gauge(label: label, dimensions: dimensions, factory: factory))
        }
    }
}
