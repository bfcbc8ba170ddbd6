/// The metrics of the server: the table of which registration, page and exposition are made.
enum ServerMetricTable {
    static let prefix = "kingfisher_server_"

    static let requests = row("requests", .counter, "Requests that have begun.")
    static let statuses = row("status_codes", .counter, "Responses by status.", ["status"])
    static let errors = row("errors", .counter, "Failed requests by the name of the error.", ["type"])
    static let durations = row(
        "request_duration_seconds", .histogram, "Time from the head of a request to the end of its response.")
    static let spans = row(
        "request_span_duration_seconds", .histogram,
        "Time of the parts of requests: queue until work begins, downloading, processing.", ["span"])
    static let workers = row("workers", .gauge, "Images that can be processed at the same time.")
    static let requestsInProgress = row("requests_in_progress", .gauge, "Requests without a whole response.")
    static let imagesInProgress = row("images_in_progress", .gauge, "Images that are being made.")
    static let utilization = row(
        "workers_utilization", .gauge, "Images in progress as a percentage of the workers.")
    static let hits = row("cache_hits", .counter, "Results that a cache had.")
    static let misses = row("cache_misses", .counter, "Results that no cache had.")
    static let results = row("results", .counter, "Results by where they were found.", ["from"])
    static let queue = row("queue_length", .gauge, "Loads that wait for memory.")
    static let memory = row(
        "memory_budget_bytes", .gauge,
        "Memory for bodies and decoding: reserved, and the total that can be reserved.", ["state"])
    static let refusals = row("refused", .counter, "Requests and connections refused by load.", ["reason"])
    static let signatures = row("signature_failures", .counter, "Requests with an invalid signature.")
    static let options = row(
        "compat_refused", .counter, "Requests of imgproxy and thumbor URLs refused because of an option.",
        ["reader", "option"])
    static let background = row("background_queue_length", .gauge, "Files that wait to be encoded later.")
    static let backgroundFiles = row(
        "background_files", .counter, "Files of this queue by outcome.", ["outcome"])
    static let purges = row("purged_files", .counter, "Files that purges have removed.")
    static let decoders = row("decoder_processes", .gauge, "Decoder processes that run.")
    static let build = row("build", .info, "The version of the server.", ["version"])

    /// All rows, in the order of the page.
    static let all = [
        requests, statuses, errors, durations, spans, workers, requestsInProgress, imagesInProgress,
        utilization, hits, misses, results, queue, memory, refusals, signatures, options, background,
        backgroundFiles, purges, decoders, build,
    ]

    /// The page about metrics.
    static var page: String {
        let rows = all.map { definition in
            let labels = definition.labels.map { "`\($0)`" }.joined(separator: ", ")
            let name = definition.kind == .histogram ? definition.name : definition.sampleNames[0]
            return "| `\(name)` | \(definition.kind.rawValue) | \(labels) | \(definition.help) |"
        }
        return Self.introduction + rows.joined(separator: "\n") + "\n" + Self.values
    }

    private static func row(
        _ name: String, _ kind: MetricDefinition.Kind, _ help: String, _ labels: [String] = []
    ) -> MetricDefinition {
        MetricDefinition(prefix + name, kind, labels: labels, help: help)
    }
}

extension ServerMetricTable {
    private static let introduction = """
        # Metrics

        `GET /metrics` on the admin listener has all metrics in OpenMetrics 1.0 if `Accept` names
        `application/openmetrics-text`, otherwise in version 0.0.4 of Prometheus' text format. A test compares
        this page with the table in the source.

        | name | type | labels | meaning |
        | --- | --- | --- | --- |

        """

    private static var values: String {
        func list<Value: RawRepresentable & CaseIterable>(_ values: Value.Type) -> String
        where Value.RawValue == String { values.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") }
        let bounds = HistogramSeries.bounds.map { "\($0)" }.joined(separator: ", ")
        let errors = (ServerMetrics.errorNames + ["other"]).map { "`\($0)`" }.joined(separator: ", ")
        return """

            | label | values |
            | --- | --- |
            | `le` | \(bounds) seconds, +Inf |
            | `span` | \(list(ServerMetrics.Span.self)) |
            | `outcome` | \(list(ServerMetrics.BackgroundOutcome.self)) |
            | `from` | \(list(ServerMetrics.Origin.self)) |
            | `state` | `reserved`, `total` |
            | `reason` | \(list(ServerMetrics.Refusal.self)) |
            | `type` | \(errors) |
            | `reader` | \(list(ServerMetrics.Reader.self)) |
            | `option` | a name that imgproxy, thumbor or imagor document, or `other` |
            | `status` | a status that the service has, or `other` |

            No label contains a URL, a host of a source, a tag or other text of a client. A metric has at most
            \(MetricsRegistry.maximumSets) sets of labels; further ones count as one set, whose values are `other`.

            `kingfisher_*` are the events of the library, as `KingfisherMetricsObserver` of `Extensions/Metrics`
            counts them: requests, downloads, decoding, stored files, memory, and the shared cache. Its label
            `node` is the address of an engine from the settings of the server.

            """
    }
}
