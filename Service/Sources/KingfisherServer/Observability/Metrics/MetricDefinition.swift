/// What a metric is. Its registration, the page about it and the exposition are made from this.
public struct MetricDefinition: Hashable, Sendable {
    /// The types of OpenMetrics that the registry has.
    public enum Kind: String, Sendable {
        /// A sum that only grows.
        case counter
        /// A level.
        case gauge
        /// Durations by buckets.
        case histogram
        /// The number and the sum of values.
        case summary
        /// Facts that do not change, as labels.
        case info

        /// What the names of the samples have after the name of the family.
        var suffixes: [String] {
            switch self {
            case .counter: ["_total"]
            case .gauge: [""]
            case .histogram: ["_bucket", "_sum", "_count"]
            case .summary: ["_sum", "_count"]
            case .info: ["_info"]
            }
        }
    }

    /// The name of the family: without `_total` or `_info`.
    public let name: String
    /// The type.
    public let kind: Kind
    /// The names of the labels.
    public let labels: [String]
    /// A sentence; empty for metrics that are not described.
    public let help: String

    /// Creates a definition. Characters that a name must not have become `_`.
    public init(_ name: String, _ kind: Kind, labels: [String] = [], help: String = "") {
        self.name = MetricName.family(name, kind)
        self.kind = kind
        self.labels = labels.map(MetricName.label)
        self.help = help
    }

    /// The unit, which is the end of the name: seconds, bytes, or nil.
    public var unit: String? {
        guard kind != .info else { return nil }
        return ["seconds", "bytes"].first { name.hasSuffix("_\($0)") }
    }

    /// The names of all samples.
    var sampleNames: [String] { kind.suffixes.map { name + $0 } }
}

/// Names that OpenMetrics allows.
enum MetricName {
    /// A family of swift-metrics, such as `kingfisher.request.duration`, as OpenMetrics names it.
    static func family(_ text: String, _ kind: MetricDefinition.Kind) -> String {
        let name = allowed(text)
        return switch kind {
        case .counter: without("_total", name)
        case .info: without("_info", name)
        case .histogram: name.hasSuffix("_seconds") ? name : name + "_seconds"
        case .gauge, .summary: name
        }
    }

    /// `le` and `quantile` have a meaning in histograms and summaries, `__name__` in Prometheus.
    static func label(_ text: String) -> String {
        let name = allowed(text)
        return name == "le" || name == "quantile" || name.hasPrefix("__") ? "label_\(name)" : name
    }

    private static func allowed(_ text: String) -> String {
        var bytes = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        if bytes.first.map({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) ?? true {
            bytes.insert(UInt8(ascii: "_"), at: 0)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func without(_ suffix: String, _ name: String) -> String {
        name.count > suffix.count && name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    }
}

/// The labels of a series, sorted by name.
struct MetricLabels: Hashable, Comparable, Sendable {
    struct Pair: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// More bytes of a value are cut off.
    static let maximumBytes = 128

    let pairs: [Pair]

    /// The first one of several labels with a name counts.
    init(_ dimensions: [(String, String)]) {
        var pairs: [Pair] = []
        for (text, value) in dimensions {
            let name = MetricName.label(text)
            guard !pairs.contains(where: { $0.name == name }) else { continue }
            pairs.append(Pair(name: name, value: value.prefix(bytes: Self.maximumBytes)))
        }
        self.pairs = pairs.sorted { $0.name < $1.name }
    }

    /// The set that replaces those beyond the limit.
    static func other(_ names: [String]) -> MetricLabels { MetricLabels(names.map { ($0, "other") }) }

    static func < (one: MetricLabels, other: MetricLabels) -> Bool {
        one.pairs.lexicographicallyPrecedes(other.pairs) { ($0.name, $0.value) < ($1.name, $1.value) }
    }
}

extension String {
    /// The text, or as many whole scalars of its beginning as fit in so many bytes.
    func prefix(bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = startIndex
        var length = 0
        while end < endIndex {
            length += unicodeScalars[end].utf8.count
            guard length <= bytes else { break }
            end = unicodeScalars.index(after: end)
        }
        return String(unicodeScalars[..<end])
    }
}
