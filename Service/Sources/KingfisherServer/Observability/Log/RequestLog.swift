import KingfisherService
public import Logging

/// Writes a line for each request that has ended.
public struct RequestLog: Sendable {
    /// The names of the fields, in the order of the line.
    static let fields = [
        "method", "route", "status", "bytes", "ms", "cache", "source", "error", "reason", "signature", "id",
        "trace",
    ]
    /// How much of a signature the log has.
    static let signatureLength = 6

    private let logger: Logger
    /// The handler of `logger`, if it needs no metadata: to make and to sort them took most of the time.
    private let lines: LineLogHandler?

    /// Creates a log that writes by `logger`, at the level info; faults of the server have the level error.
    public init(_ logger: Logger) {
        self.logger = logger
        lines = logger.handler as? LineLogHandler
    }

    /// Writes a line. Safe from any thread.
    public func write(_ record: RequestRecord) {
        let level = record.failure == "unexpected" ? Logger.Level.error : .info
        // The values are not made for nothing.
        guard level >= logger.logLevel else { return }
        if let lines { return lines.write(level, "request", Self.values(record)) }
        var metadata: Logger.Metadata = [:]
        for (name, value) in Self.values(record) { metadata[name] = .string(value.text) }
        logger.log(level: level, "request", metadata: metadata)
    }

    /// The fields that the record has, in the order of the line.
    private static func values(_ record: RequestRecord) -> [LogLine.Field] {
        let tenths = record.duration.nanoseconds / 100_000
        let values: [LogLine.Value?] = [
            .text(record.method.prefix(bytes: 16)), .text(record.route.rawValue),
            .number("\(record.status)"), .number("\(record.bytes)"), .number("\(tenths / 10).\(tenths % 10)"),
            record.cache.map { .text($0.rawValue) }, record.source.map { .text($0) },
            record.failure.map { .text($0) }, record.reason.map { .text($0.prefix(bytes: 200)) },
            record.signature.map { .text($0.prefix(bytes: signatureLength)) },
            record.requestID.map { .text($0) }, record.traceID.map { .text($0) },
        ]
        var present: [LogLine.Field] = []
        present.reserveCapacity(values.count)
        for (name, value) in zip(fields, values) {
            if let value { present.append((name, value)) }
        }
        return present
    }
}
