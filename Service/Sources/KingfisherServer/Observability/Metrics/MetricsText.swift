public import KingfisherService

/// A text format of metrics.
public enum MetricsFormat: Sendable {
    /// OpenMetrics 1.0.
    case openMetrics
    /// The text format of Prometheus, version 0.0.4.
    case prometheus

    /// The format for a client: OpenMetrics if it names it.
    public init(accept: AcceptHeader) {
        self = accept.names("application/openmetrics-text") ? .openMetrics : .prometheus
    }

    /// The value of `Content-Type`.
    public var mediaType: String {
        switch self {
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        }
    }
}

/// Writes metrics as text, family by family.
struct MetricsText {
    private let format: MetricsFormat
    private var text = ""

    init(_ format: MetricsFormat) { self.format = format }

    mutating func begin(_ definition: MetricDefinition) {
        switch format {
        case .openMetrics:
            text += "# TYPE \(definition.name) \(definition.kind.rawValue)\n"
            if let unit = definition.unit { text += "# UNIT \(definition.name) \(unit)\n" }
            writeHelp(definition.name, definition.help)
        case .prometheus:
            // The older format has no suffixes that are not part of the name, and no infos.
            let isInfo = definition.kind == .info
            let hasSuffix = isInfo || definition.kind == .counter
            let name = hasSuffix ? definition.sampleNames[0] : definition.name
            writeHelp(name, definition.help)
            text += "# TYPE \(name) \(isInfo ? "gauge" : definition.kind.rawValue)\n"
        }
    }

    mutating func write(_ value: MetricValue, _ labels: MetricLabels, of definition: MetricDefinition) {
        let name = definition.name
        let pairs = labels.pairs.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
        switch value {
        case .number(let number): line(definition.sampleNames[0], pairs, Self.text(of: number))
        case .histogram(let counts, let sum):
            for (bound, count) in zip(HistogramSeries.bounds + [.infinity], counts) {
                let bound = bound.isFinite ? "\(bound)" : "+Inf"
                line("\(name)_bucket", pairs + ["le=\"\(bound)\""], "\(count)")
            }
            line("\(name)_sum", pairs, Self.text(of: sum))
            line("\(name)_count", pairs, "\(counts.last ?? 0)")
        case .summary(let count, let sum):
            line("\(name)_sum", pairs, Self.text(of: sum))
            line("\(name)_count", pairs, "\(count)")
        }
    }

    func finished() -> String {
        switch format {
        case .openMetrics: text + "# EOF\n"
        case .prometheus: text
        }
    }

    private mutating func writeHelp(_ name: String, _ help: String) {
        // The older format has no escape for quotation marks here.
        guard !help.isEmpty else { return }
        text += "# HELP \(name) \(Self.escaped(help, quotes: format == .openMetrics))\n"
    }

    private mutating func line(_ name: String, _ pairs: [String], _ value: String) {
        text += name
        if !pairs.isEmpty { text += "{\(pairs.joined(separator: ","))}" }
        text += " \(value)\n"
    }

    /// By bytes, because a `Character` may be a carriage return with a line feed.
    private static func escaped(_ text: String, quotes: Bool = true) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\""): bytes += quotes ? [UInt8(ascii: "\\"), byte] : [byte]
            case UInt8(ascii: "\\"): bytes += [byte, byte]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func text(of number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number > 0 ? "+Inf" : "-Inf" }
        // -0.0 would be 0 as well.
        if let whole = Int64(exactly: number) { return "\(whole)" }
        return "\(number)"
    }
}
