public import CoreMetrics
import Foundation
import Synchronization

/// A small backend for swift-metrics that keeps sums in memory, and writes them as lines
/// `name{label="value"} number`, the text format of Prometheus.
///
/// A timer is two sums, `NAME_count` and `NAME_seconds`. A service uses a backend with histograms instead.
/// Safe from any thread.
public final class TextMetrics: MetricsFactory {
    private let values = Mutex<[String: Double]>([:])

    /// Creates a backend without metrics.
    public init() {}

    /// All metrics, one a line, sorted by name.
    public var text: String {
        values.withLock { $0 }.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value.formatted)" }.joined(separator: "\n")
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Sum(of: Self.name(label, dimensions), in: self)
    }

    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        Level(of: Self.name(label, dimensions), in: self)
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Times(
            count: Self.name("\(label).count", dimensions),
            seconds: Self.name("\(label).seconds", dimensions),
            in: self)
    }

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    fileprivate func change(_ name: String, _ change: (inout Double) -> Void) {
        values.withLock { change(&$0[name, default: 0]) }
    }

    private static func name(_ label: String, _ dimensions: [(String, String)]) -> String {
        let name = String(label.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        guard !dimensions.isEmpty else { return name }
        let labels = dimensions.map {
            "\($0.0)=\"\($0.1.filter { $0 != "\"" && $0 != "\\" && !$0.isNewline })\""
        }
        return "\(name){\(labels.joined(separator: ","))}"
    }
}

private final class Sum: CounterHandler {
    private let name: String
    private let metrics: TextMetrics

    init(of name: String, in metrics: TextMetrics) { (self.name, self.metrics) = (name, metrics) }

    func increment(by amount: Int64) { metrics.change(name) { $0 += Double(amount) } }
    func reset() { metrics.change(name) { $0 = 0 } }
}

private final class Level: RecorderHandler {
    private let name: String
    private let metrics: TextMetrics

    init(of name: String, in metrics: TextMetrics) { (self.name, self.metrics) = (name, metrics) }

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { metrics.change(name) { $0 = value } }
}

private final class Times: TimerHandler {
    private let (count, seconds): (String, String)
    private let metrics: TextMetrics

    init(count: String, seconds: String, in metrics: TextMetrics) {
        (self.count, self.seconds, self.metrics) = (count, seconds, metrics)
    }

    func recordNanoseconds(_ duration: Int64) {
        metrics.change(count) { $0 += 1 }
        metrics.change(seconds) { $0 += Double(duration) / 1e9 }
    }
}

extension Double {
    fileprivate var formatted: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}
