public import CoreMetrics
import Synchronization

/// A backend of swift-metrics that keeps all metrics in memory, and writes them as text for Prometheus.
///
/// Timers are histograms, recorders that aggregate are summaries. A family has at most 200 label sets:
/// further ones change the set whose values are all `other`. A label whose name or kind contradicts another
/// one gives a handler that is not in the text. Handlers are shared by all callers with the same labels, and
/// stay until the registry ends. They change atomics, without locks and allocations. Safe from any thread.
public final class MetricsRegistry: MetricsFactory {
    /// The maximum number of label sets of a family, without the set `other`.
    static let maximumSets = 200

    private struct State {
        var families: [String: MetricFamily] = [:]
        /// The names of samples, and the family to which they belong.
        var owners: [String: String] = [:]
        var collectors: [@Sendable () -> Void] = []

        /// Registers a family, unless it contradicts another one.
        mutating func register(_ definition: MetricDefinition) -> Bool {
            if let known = families[definition.name] { return known.definition.kind == definition.kind }
            let names = Set(definition.sampleNames + [definition.name])
            guard names.allSatisfy({ owners[$0] == nil }) else { return false }
            for name in names { owners[name] = definition.name }
            families[definition.name] = MetricFamily(definition: definition)
            return true
        }
    }

    private let state = Mutex(State())

    /// Creates a backend without metrics.
    public init() {}

    /// Describes a metric, which then is in the text even if it has no value. False if it contradicts another
    /// one.
    @discardableResult
    public func define(_ definition: MetricDefinition) -> Bool {
        state.withLock { $0.register(definition) }
    }

    /// Runs a closure before the text is written, for levels that are read and not reported. It runs on the
    /// thread that asks for the text.
    public func onCollect(_ collect: @escaping @Sendable () -> Void) {
        state.withLock { $0.collectors.append(collect) }
    }

    /// All metrics in a format.
    public func text(_ format: MetricsFormat) -> String {
        let collectors = state.withLock(\.collectors)
        for collect in collectors { collect() }
        let families = state.withLock(\.families)
        var text = MetricsText(format)
        for (_, family) in families.sorted(by: { $0.key < $1.key }) {
            text.begin(family.definition)
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                text.write(series.value, labels, of: family.definition)
            }
        }
        return text.finished()
    }

    /// All metrics in OpenMetrics 1.0.
    public var openMetrics: String { text(.openMetrics) }

    /// The series of a metric with these labels, which is made if necessary.
    func series<Series: MetricSeries>(
        _ definition: MetricDefinition, _ dimensions: [(String, String)] = []
    ) -> Series {
        let labels = MetricLabels(dimensions)
        let known = state.withLock { state -> (any MetricSeries)? in
            guard state.register(definition) else { return nil }
            return state.families[definition.name]?.series(labels) { Series() }
        }
        return known as? Series ?? Series()
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let series: CounterSeries = series(MetricDefinition(label, .counter), dimensions)
        return series
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        let series: CounterSeries = series(MetricDefinition(label, .counter), dimensions)
        return series
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        let series: GaugeSeries = series(MetricDefinition(label, .gauge), dimensions)
        return series
    }

    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate {
            let series: SummarySeries = series(MetricDefinition(label, .summary), dimensions)
            return series
        }
        let series: GaugeSeries = series(MetricDefinition(label, .gauge), dimensions)
        return series
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let series: HistogramSeries = series(MetricDefinition(label, .histogram), dimensions)
        return series
    }

    // Series stay, so that sums continue if a handler is made again.
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}
}

/// The series of a metric.
private struct MetricFamily {
    let definition: MetricDefinition
    private(set) var series: [MetricLabels: any MetricSeries] = [:]
    /// The set that counts for those beyond the limit.
    private var overflow: MetricLabels?

    init(definition: MetricDefinition) { self.definition = definition }

    mutating func series(_ labels: MetricLabels, make: () -> any MetricSeries) -> any MetricSeries {
        if let known = series[labels] { return known }
        var labels = labels
        if series.count >= MetricsRegistry.maximumSets {
            labels = .other(definition.labels.isEmpty ? labels.pairs.map(\.name) : definition.labels)
            // A set with other names would be one more each time.
            if let known = series[labels] ?? series[overflow ?? labels] { return known }
            overflow = labels
        }
        let made = make()
        series[labels] = made
        return made
    }
}
