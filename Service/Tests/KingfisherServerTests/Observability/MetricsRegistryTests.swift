import CoreMetrics
import Dispatch
import Testing

@testable import KingfisherServer

extension ObservabilityTests {
    @Suite struct MetricsRegistryTests {
        private let registry = MetricsRegistry()

        private func counter(_ label: String, _ dimensions: [(String, String)] = []) -> CounterSeries {
            registry.series(MetricDefinition(label, .counter), dimensions)
        }

        private func lines(_ prefix: String) -> [Substring] {
            registry.openMetrics.split(separator: "\n").filter { $0.hasPrefix(prefix) }
        }

        @Test func `The same labels in any order are one series`() {
            let one = counter("a", [("x", "1"), ("y", "2")])
            #expect(one === counter("a", [("y", "2"), ("x", "1")]))
            #expect(one !== counter("a", [("x", "2"), ("y", "1")]))
        }

        @Test func `The first of two labels with one name counts`() {
            counter("a", [("x", "1"), ("x", "2")]).increment(by: 1 as Int64)
            #expect(registry.value("a_total{x=\"1\"}") == "1")
        }

        @Test func `More than 200 sets of labels count as one other set`() {
            for number in 0..<1_000 { counter("a", [("x", "\(number)")]).increment(by: 1 as Int64) }
            #expect(lines("a_total").count == 201)
            #expect(registry.value("a_total{x=\"199\"}") == "1")
            #expect(registry.value("a_total{x=\"200\"}") == nil)
            #expect(registry.value("a_total{x=\"other\"}") == "800")
        }

        @Test func `Sets beyond the limit with other names of labels make no further series`() {
            for number in 0..<400 { counter("a", [("x\(number)", "1")]).increment(by: 1 as Int64) }
            #expect(lines("a_total").count == 201)
            #expect(registry.value("a_total{x200=\"other\"}") == "200")
        }

        @Test func `A set that is named other is the set beyond the limit`() {
            counter("a", [("x", "other")]).increment(by: 1 as Int64)
            for number in 0..<300 { counter("a", [("x", "\(number)")]).increment(by: 1 as Int64) }
            #expect(lines("a_total").count == 200)
            #expect(registry.value("a_total{x=\"other\"}") == "102")
        }

        @Test func `Another kind for a name is not in the text`() {
            counter("a").increment(by: 1 as Int64)
            Gauge(label: "a", factory: registry).record(7)
            #expect(registry.openMetrics == "# TYPE a counter\na_total 1\n# EOF\n")
        }

        @Test(
            arguments: [
                ("t.seconds.count", "t"), ("t.seconds.bucket", "t"), ("t.seconds.sum", "t"),
                ("t.seconds", "t"),
            ])
        func `A name of another metric's sample is not in the text`(_ gauge: String, _ timer: String) {
            Timer(label: timer, factory: registry).recordNanoseconds(1)
            Gauge(label: gauge, factory: registry).record(7)
            #expect(lines("# TYPE") == ["# TYPE t_seconds histogram"])
            #expect(!registry.openMetrics.contains(" 7\n"))
        }

        @Test func `Definitions that contradict each other are refused`() {
            #expect(registry.define(MetricDefinition("a", .counter)))
            #expect(registry.define(MetricDefinition("a_total", .counter)))
            #expect(!registry.define(MetricDefinition("a", .gauge)))
            #expect(!registry.define(MetricDefinition("a_total", .gauge)))
        }

        @Test func `Counters ignore negative and infinite amounts`() {
            let series = counter("a")
            series.increment(by: -5 as Int64)
            series.increment(by: -0.5)
            series.increment(by: Double.infinity)
            series.increment(by: Double.nan)
            series.increment(by: 2 as Int64)
            series.increment(by: 0.25)
            #expect(series.value == .number(2.25))
            series.reset()
            #expect(series.value == .number(0))
        }

        @Test func `A counter stays at its maximum`() {
            let series = counter("a")
            series.increment(by: Int64.max)
            series.increment(by: 5 as Int64)
            #expect(series.value == .number(Double(Int64.max)))
        }

        @Test func `Changes by many threads are all counted`() {
            let whole = counter("whole")
            let fraction = counter("fraction")
            let gauge: GaugeSeries = registry.series(MetricDefinition("gauge", .gauge))
            let histogram: HistogramSeries = registry.series(MetricDefinition("time", .histogram))
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for _ in 0..<20_000 {
                    whole.increment(by: 1 as Int64)
                    fraction.increment(by: 0.5)
                    gauge.increment(by: 2)
                    gauge.decrement(by: 1)
                    histogram.recordNanoseconds(thread % 2 == 0 ? 1 : 3_000_000)
                }
            }
            #expect(whole.value == .number(160_000))
            #expect(fraction.value == .number(80_000))
            #expect(gauge.value == .number(160_000))
            #expect(registry.value("time_seconds_bucket{le=\"0.001\"}") == "80000")
            #expect(registry.value("time_seconds_bucket{le=\"0.005\"}") == "160000")
            #expect(registry.value("time_seconds_count") == "160000")
        }

        @Test func `Series that are made at the same time are one series`() {
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                for number in 0..<150 {
                    Counter(label: "a", dimensions: [("x", "\(number)")], factory: registry).increment()
                }
            }
            #expect(lines("a_total").count == 150)
            #expect(lines("a_total").allSatisfy { $0.hasSuffix(" 8") })
        }

        @Test(
            arguments: [
                (Int64.min, 0), (-1, 0), (0, 0), (1_000_000, 0), (1_000_001, 1), (2_500_000, 1),
                (2_500_001, 2), (5_000_001, 3), (10_000_001, 4), (25_000_001, 5), (50_000_001, 6),
                (100_000_001, 7), (250_000_001, 8), (500_000_001, 9), (1_000_000_001, 10),
                (2_500_000_001, 11), (5_000_000_001, 12), (10_000_000_001, 13), (30_000_000_000, 13),
                (30_000_000_001, 14), (.max, 14),
            ])
        func `A duration is in the first bucket whose bound it does not exceed`(
            _ nanoseconds: Int64, _ bucket: Int
        ) {
            let series = HistogramSeries()
            series.recordNanoseconds(nanoseconds)
            guard case .histogram(let counts, let sum) = series.value else {
                Issue.record("no histogram")
                return
            }
            #expect(counts.count == HistogramSeries.bounds.count + 1)
            #expect(counts.firstIndex(of: 1) == bucket)
            #expect(sum == Double(max(0, nanoseconds)) / 1e9)
            // The bounds in the text are those of the search.
            if bucket < HistogramSeries.bounds.count { #expect(sum <= HistogramSeries.bounds[bucket]) }
            if bucket > 0 { #expect(sum > HistogramSeries.bounds[bucket - 1]) }
        }

        @Test func `Every front end of swift-metrics has its type`() {
            Counter(label: "counter", factory: registry).increment()
            FloatingPointCounter(label: "floating", factory: registry).increment(by: 0.5)
            Gauge(label: "gauge", factory: registry).record(-3)
            Meter(label: "meter", factory: registry).set(4)
            Meter(label: "meter", factory: registry).decrement(by: 1.5)
            Recorder(label: "recorder", factory: registry).record(2.5)
            Timer(label: "timer", factory: registry).recordSeconds(1)
            #expect(
                lines("# TYPE") == [
                    "# TYPE counter counter", "# TYPE floating counter", "# TYPE gauge gauge",
                    "# TYPE meter gauge", "# TYPE recorder summary", "# TYPE timer_seconds histogram",
                ])
            #expect(registry.value("floating_total") == "0.5")
            #expect(registry.value("gauge") == "-3")
            #expect(registry.value("meter") == "2.5")
            #expect(registry.value("recorder_sum") == "2.5")
            #expect(registry.value("timer_seconds_sum") == "1")
        }

        @Test func `A destroyed metric keeps its sum`() {
            let first = Counter(label: "a", factory: registry)
            first.increment()
            first.destroy()
            Counter(label: "a", factory: registry).increment()
            #expect(registry.value("a_total") == "2")
        }

        @Test func `Collectors run before the text is written`() {
            let gauge: GaugeSeries = registry.series(MetricDefinition("g", .gauge))
            registry.onCollect { gauge.increment(by: 1) }
            #expect(registry.value("g") == "1")
            #expect(registry.value("g") == "2")
        }

        @Test(
            arguments: [
                (String(repeating: "a", count: 128), 128), (String(repeating: "a", count: 500), 128),
                (String(repeating: "é", count: 64) + "é", 128),
                ("a" + String(repeating: "中", count: 50), 127),
            ])
        func `Long values are cut off at a whole character`(_ value: String, _ length: Int) throws {
            let kept = try #require(MetricLabels([("x", value)]).pairs.first?.value)
            #expect(kept.utf8.count == length)
            #expect(value.hasPrefix(kept))
        }
    }
}
