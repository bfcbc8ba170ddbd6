import CoreMetrics
public import Kingfisher
import KingfisherMetrics
public import KingfisherService

/// The metrics of a server, in a registry.
///
/// No label contains text of a client: values are cases, names of errors, statuses that the service has, and
/// names from a list. Calls change atomics and do not wait. Safe from any thread.
public final class ServerMetrics: Sendable {
    /// A part of a request, for `request_span_duration_seconds`.
    public enum Span: String, CaseIterable, Sendable {
        /// Until the source is asked or an image is decoded: caches and the queue for memory.
        case queue
        /// Of the source.
        case downloading
        /// Decoding and the steps.
        case processing
    }

    /// Where a result was found, for `results_total`.
    public enum Origin: String, CaseIterable, Sendable {
        /// In memory.
        case memory
        /// On disk.
        case disk
        /// In the shared tier.
        case shared
        /// Nowhere: it was made.
        case source

        init(_ cache: ServiceTiming.Cache) {
            self =
                switch cache {
                case .memory: .memory
                case .disk: .disk
                case .shared: .shared
                case .miss: .source
                }
        }
    }

    /// Why the server refused a request or a connection, for `refused_total`.
    public enum Refusal: String, CaseIterable, Sendable {
        /// The client has used up its rate.
        case clientRate = "client_rate"
        /// The queue for memory is full.
        case overloaded
        /// The disk of the cache is full.
        case cacheFull = "cache_full"
        /// The server stops.
        case stopping
        /// The client address has too many connections.
        case clientConnections = "client_connections"
        /// The head of a request came too slowly.
        case headDeadline = "head_deadline"
        /// The body of a request came too slowly.
        case bodyDeadline = "body_deadline"
        /// The client did not take its response.
        case writeDeadline = "write_deadline"
    }

    /// What has become of a file of the background queue, for `background_files_total`.
    public enum BackgroundOutcome: String, CaseIterable, Sendable {
        /// It was made.
        case made
        /// It could not be made.
        case failed
        /// The queue was full.
        case dropped
    }

    /// A reader of URLs of another service, for `compat_refused_total`.
    public enum Reader: String, CaseIterable, Sendable {
        /// URLs of imgproxy.
        case imgproxy
        /// URLs of thumbor and imagor.
        case thumbor
    }

    /// Where the metrics are.
    public let registry: MetricsRegistry

    private let requests: CounterSeries
    private let durations: HistogramSeries
    private let statuses: LabelledCounters<Int>
    private let errors: LabelledCounters<String>
    private let spans: [Span: HistogramSeries]
    private let results: LabelledCounters<Origin>
    private let refusals: LabelledCounters<Refusal>
    private let backgroundFiles: LabelledCounters<BackgroundOutcome>
    private let (hits, misses): (CounterSeries, CounterSeries)
    private let (signatures, purges): (CounterSeries, CounterSeries)
    private let (requestsInProgress, imagesInProgress): (GaugeSeries, GaugeSeries)
    private let (queue, background, decoders): (GaugeSeries, GaugeSeries, GaugeSeries)
    private let (reserved, total): (GaugeSeries, GaugeSeries)

    /// Registers all metrics.
    ///
    /// - Parameters:
    ///   - version: For `build_info`.
    ///   - workers: How many images can be processed at the same time.
    public init(_ registry: MetricsRegistry = MetricsRegistry(), version: String, workers: Int) {
        typealias Table = ServerMetricTable
        self.registry = registry
        for definition in Table.all { registry.define(definition) }
        requests = registry.series(Table.requests)
        durations = registry.series(Table.durations)
        statuses = LabelledCounters(registry, Table.statuses, Self.statusCodes) { "\($0)" }
        errors = LabelledCounters(registry, Table.errors, Self.errorNames) { $0 }
        results = LabelledCounters(registry, Table.results, Origin.allCases, \.rawValue)
        refusals = LabelledCounters(registry, Table.refusals, Refusal.allCases, \.rawValue)
        backgroundFiles = LabelledCounters(
            registry, Table.backgroundFiles, BackgroundOutcome.allCases, \.rawValue)
        spans = .init(
            uniqueKeysWithValues: Span.allCases.map {
                ($0, registry.series(Table.spans, [("span", $0.rawValue)]))
            })
        (hits, misses) = (registry.series(Table.hits), registry.series(Table.misses))
        (signatures, purges) = (registry.series(Table.signatures), registry.series(Table.purges))
        requestsInProgress = registry.series(Table.requestsInProgress)
        imagesInProgress = registry.series(Table.imagesInProgress)
        (queue, background) = (registry.series(Table.queue), registry.series(Table.background))
        decoders = registry.series(Table.decoders)
        reserved = registry.series(Table.memory, [("state", "reserved")])
        total = registry.series(Table.memory, [("state", "total")])
        let _: InfoSeries = registry.series(Table.build, [("version", version)])
        collectUtilization(workers: max(1, workers))
    }

    /// A request has begun. ``requestEnded(_:)`` must follow.
    public func requestBegan() {
        requests.increment(by: 1 as Int64)
        requestsInProgress.increment(by: 1)
    }

    /// A request has ended: its response is sent, or its client has left.
    public func requestEnded(_ record: RequestRecord) {
        requestsInProgress.decrement(by: 1)
        durations.recordNanoseconds(record.duration.nanoseconds)
        statuses.increment(record.status)
        if let name = record.failure {
            errors.increment(name)
            if let refusal = Refusal(rawValue: name) { refused(refusal) }
        }
        guard let cache = record.cache else { return }
        results.increment(Origin(cache))
        (cache == .miss ? misses : hits).increment(by: 1 as Int64)
    }

    /// An image is being made. ``imageEnded()`` must follow.
    public func imageBegan() { imagesInProgress.increment(by: 1) }

    /// An image was made, or has failed.
    public func imageEnded() { imagesInProgress.decrement(by: 1) }

    /// A part of a request has ended.
    public func record(_ span: Span, _ duration: Duration) {
        spans[span]?.recordNanoseconds(duration.nanoseconds)
    }

    /// The server refused a connection, or a request that has no response with the name of the reason;
    /// ``requestEnded(_:)`` counts the others.
    public func refused(_ refusal: Refusal) { refusals.increment(refusal) }

    /// The signature of a request was invalid.
    public func signatureFailed() { signatures.increment(by: 1 as Int64) }

    /// A URL of another service has an option that does not exist here, if `error` says so.
    public func optionRefused(_ reader: Reader, _ error: ServiceError) {
        guard let option = CompatibleOptionName.refused(by: error) else { return }
        let counter: CounterSeries = registry.series(
            ServerMetricTable.options, [("reader", reader.rawValue), ("option", option)])
        counter.increment(by: 1 as Int64)
    }

    /// A purge has removed files.
    public func purged(files: Int) { purges.increment(by: Int64(files)) }

    /// The number of files that wait to be encoded later.
    public func setBackgroundQueueLength(_ length: Int) { background.set(Int64(length)) }

    /// What has become of such a file.
    func madeInBackground(_ outcome: BackgroundOutcome) { backgroundFiles.increment(outcome) }

    /// The number of decoder processes. Before the text is written is early enough
    /// (``MetricsRegistry/onCollect(_:)``).
    public func setDecoderProcesses(_ count: Int) { decoders.set(Int64(count)) }

    /// The memory of a manager, in bytes.
    public func setMemory(reserved bytes: Int, of budget: Int, queueLength: Int) {
        reserved.set(Int64(bytes))
        total.set(Int64(budget))
        queue.set(Int64(queueLength))
    }

    /// An observer that counts the library's events as `kingfisher_*` in the same registry.
    public var libraryObserver: any KingfisherEventObserver { KingfisherMetricsObserver(factory: registry) }

    private func collectUtilization(workers count: Int) {
        let workers: GaugeSeries = registry.series(ServerMetricTable.workers)
        let utilization: GaugeSeries = registry.series(ServerMetricTable.utilization)
        workers.set(Int64(count))
        registry.onCollect { [imagesInProgress] in
            utilization.set(imagesInProgress.level / Double(count) * 100)
        }
    }

    /// The names of errors; `refused` is an error of the URL.
    static let errorNames = ServiceFailureKind.all.map(\.name) + ["refused"]

    private static let statusCodes =
        [200, 204, 206, 304, 400, 401, 403, 408, 410] + ServiceFailureKind.all.map(\.status)
}

/// Counters that differ in the value of a label. Other values count as `other`.
private struct LabelledCounters<Value: Hashable & Sendable>: Sendable {
    private var counters: [Value: CounterSeries] = [:]
    private let other: CounterSeries?

    init(
        _ registry: MetricsRegistry, _ definition: MetricDefinition, _ values: [Value],
        _ text: (Value) -> String
    ) {
        let label = definition.labels.first ?? ""
        for value in values { counters[value] = registry.series(definition, [(label, text(value))]) }
        // A closed set has no other values.
        other = Value.self is any CaseIterable.Type ? nil : registry.series(definition, [(label, "other")])
    }

    func increment(_ value: Value) { (counters[value] ?? other)?.increment(by: 1 as Int64) }
}
