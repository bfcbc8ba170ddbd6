import HTTPTypes
import KingfisherService
import Tracing

/// Spans of requests, for the tracer that a program has bootstrapped. Without one, they cost nothing.
///
/// Names and attributes contain no URL, no host of a source and no tag.
enum RequestSpan {
    /// Starts a span of the kind server, as a child of the span in `traceparent`.
    static func start(_ fields: HTTPFields) -> any Span {
        var context = InstrumentationContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(fields, into: &context, using: TraceFieldExtractor())
        return startSpan("request", context: context, ofKind: .server)
    }

    /// Ends the span of a request: with its attributes, and a child for each part that `timer` has measured.
    static func end(_ span: any Span, _ record: RequestRecord, _ timer: RequestTimer) {
        defer { span.end() }
        guard span.isRecording else { return }
        span.updateAttributes { attributes in
            attributes["http.request.method"] = record.method.prefix(bytes: 16)
            attributes["http.response.status_code"] = record.status
            attributes["kingfisher.route"] = record.route.rawValue
            if let cache = record.cache { attributes["kingfisher.cache"] = cache.rawValue }
            if let failure = record.failure { attributes["error.type"] = failure }
        }
        if record.status >= 500 { span.setStatus(SpanStatus(code: .error)) }
        let now = (clock: timer.now(), instant: DefaultTracerClock.now)
        for part in timer.parts {
            let child = startSpan(
                part.span.rawValue, context: span.context, ofKind: .internal,
                at: instant(now.instant, part.began.duration(to: now.clock)))
            child.end(at: instant(now.instant, part.ended.duration(to: now.clock)))
        }
    }

    private static func instant(
        _ now: DefaultTracerClock.Timestamp, _ age: Duration
    ) -> DefaultTracerClock.Timestamp {
        let age = min(UInt64(max(0, age.nanoseconds)), now.nanosecondsSinceEpoch)
        return DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: now.nanosecondsSinceEpoch - age)
    }
}
