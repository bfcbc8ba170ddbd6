public import HTTPTypes
import Kingfisher
import KingfisherService
import Synchronization
import Tracing

/// What observes the requests of a server: metrics, log, spans and the timers that events reach.
public struct RequestObservers: Sendable {
    /// The metrics of the server.
    public let metrics: ServerMetrics
    /// The log of requests; nil for none.
    public let log: RequestLog?
    /// The timers of the requests that are loaded now.
    public let timers = RequestTimers()

    private let events: [any KingfisherEventObserver]

    /// Creates observers, which get events of the library from ``start()`` on.
    public init(metrics: ServerMetrics, log: RequestLog?) {
        (self.metrics, self.log) = (metrics, log)
        events = [ServerEventObserver(metrics, timers: timers), metrics.libraryObserver]
    }

    /// Adds the observers of events, until ``stop()``.
    public func start() { for observer in events { KingfisherEvents.add(observer) } }

    /// Removes the observers of events.
    public func stop() { for observer in events { KingfisherEvents.remove(observer) } }

    /// Runs the load of an image, whose events the timer gets.
    func observe<Result>(
        _ load: ServiceLoad, _ timer: RequestTimer, _ run: () async throws -> Result
    ) async rethrows -> Result {
        metrics.imageBegan()
        defer { metrics.imageEnded() }
        return try await timers.follow(timer, load.source, run)
    }

    /// Observes a request from the end of its head.
    public func begin(method: String, _ fields: HTTPFields) -> RequestObservation {
        RequestObservation(self, method: method, fields, timer: RequestTimer())
    }
}

/// A request that is observed. It is counted, logged and its span ends when ``end(_:)`` is called, or when
/// this is released, which means that the client has left. Safe from any thread.
public final class RequestObservation: Sendable {
    /// Measures the parts of the request.
    public let timer: RequestTimer
    /// What `traceparent` says.
    public let trace: TraceContext?

    private let observers: RequestObservers
    private let method: String
    private let span: any Span
    private let hasEnded = Atomic(false)

    init(_ observers: RequestObservers, method: String, _ fields: HTTPFields, timer: RequestTimer) {
        (self.observers, self.method, self.timer) = (observers, method, timer)
        trace = TraceContext(fields)
        span = RequestSpan.start(fields)
        observers.metrics.requestBegan()
    }

    deinit {
        var record = RequestRecord(method: method, status: 499)
        record.failure = ServiceFailureKind.clientLeft.name
        end(record)
    }

    /// Runs `operation` in the span of the request, so that spans that it starts are children.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
    ) async rethrows -> Result {
        try await InstrumentationContext.withValue(span.context, operation: operation)
    }

    /// Ends the observation; further calls have no effect. Duration and trace of the record are completed.
    public func end(_ record: RequestRecord) {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        var record = record
        record.duration = timer.end()
        record.traceID = trace?.traceID
        observers.metrics.requestEnded(record)
        if let queue = timer.queueTime { observers.metrics.record(.queue, queue) }
        observers.log?.write(record)
        RequestSpan.end(span, record, timer)
    }
}
