import Hummingbird
import Kingfisher
import KingfisherService

/// What is seen from outside of each request: metrics, a line of the log, and a span.
struct RequestMonitor: Sendable {
    let metrics: ServerMetrics
    let log: RequestLog
    let timers: RequestTimers

    /// Makes a response. `make` completes the record, except for status, size and time.
    func observe(
        _ exchange: Exchange, _ make: (inout RequestRecord) async -> Response
    ) async -> Response {
        metrics.requestBegan()
        let fields = exchange.request.headers
        let span = RequestSpan.start(fields)
        var record = RequestRecord(method: exchange.request.method.rawValue, status: 0)
        record.requestID = exchange.requestID
        record.traceID = TraceContext(fields)?.traceID
        let response = await make(&record)
        record.status = response.status.code
        record.bytes = exchange.isHead ? 0 : response.body.contentLength ?? 0
        record.duration = exchange.timer.end()
        metrics.requestEnded(record)
        if let queue = exchange.timer.queueTime { metrics.record(.queue, queue) }
        RequestSpan.end(span, record, exchange.timer)
        log.write(record)
        return response
    }

    /// Runs a load, whose events the timer of the request gets.
    func load(
        _ load: ServiceLoad, _ exchange: Exchange, _ run: () async throws -> RetrieveDataResult
    ) async throws -> RetrieveDataResult {
        metrics.imageBegan()
        defer { metrics.imageEnded() }
        return try await timers.follow(exchange.timer, load.source, run)
    }

    /// A URL was refused before its source was known.
    func urlRefused(_ failure: ServiceFailure, _ record: inout RequestRecord, _ path: String) {
        let isSignature = failure.error.status == 403
        if isSignature {
            metrics.signatureFailed()
            record.signature = path.split(separator: "/").first.map(String.init)
        }
        switch record.route {
        case .imgproxy: metrics.optionRefused(.imgproxy, failure.error)
        case .thumbor: metrics.optionRefused(.thumbor, failure.error)
        default: break
        }
    }
}
