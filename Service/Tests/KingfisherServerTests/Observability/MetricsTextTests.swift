import CoreMetrics
import KingfisherService
import Testing

@testable import KingfisherServer

extension ObservabilityTests {
    @Suite struct MetricsTextTests {
        private let registry = MetricsRegistry()

        private func fill() {
            registry.define(MetricDefinition("a.requests", .counter, labels: ["to"], help: "A \\ \"help\"."))
            Counter(label: "a.requests", dimensions: [("to", "x")], factory: registry).increment(by: 3)
            Counter(label: "a.requests", dimensions: [("to", "b")], factory: registry).increment()
            Gauge(label: "b.bytes", factory: registry).record(1.5)
            Timer(label: "c", factory: registry).recordNanoseconds(2_000_000)
            Timer(label: "c", factory: registry).recordNanoseconds(40_000_000_000)
            Recorder(label: "d", factory: registry).record(2)
            let _: InfoSeries = registry.series(MetricDefinition("e_info", .info), [("version", "1")])
        }

        @Test func `OpenMetrics has types, units, help, suffixes and an end`() {
            fill()
            #expect(
                registry.openMetrics == """
                    # TYPE a_requests counter
                    # HELP a_requests A \\\\ \\"help\\".
                    a_requests_total{to="b"} 1
                    a_requests_total{to="x"} 3
                    # TYPE b_bytes gauge
                    # UNIT b_bytes bytes
                    b_bytes 1.5
                    # TYPE c_seconds histogram
                    # UNIT c_seconds seconds
                    c_seconds_bucket{le="0.001"} 0
                    c_seconds_bucket{le="0.0025"} 1
                    c_seconds_bucket{le="0.005"} 1
                    c_seconds_bucket{le="0.01"} 1
                    c_seconds_bucket{le="0.025"} 1
                    c_seconds_bucket{le="0.05"} 1
                    c_seconds_bucket{le="0.1"} 1
                    c_seconds_bucket{le="0.25"} 1
                    c_seconds_bucket{le="0.5"} 1
                    c_seconds_bucket{le="1.0"} 1
                    c_seconds_bucket{le="2.5"} 1
                    c_seconds_bucket{le="5.0"} 1
                    c_seconds_bucket{le="10.0"} 1
                    c_seconds_bucket{le="30.0"} 1
                    c_seconds_bucket{le="+Inf"} 2
                    c_seconds_sum 40.002
                    c_seconds_count 2
                    # TYPE d summary
                    d_sum 2
                    d_count 1
                    # TYPE e info
                    e_info{version="1"} 1
                    # EOF

                    """)
        }

        @Test func `Version 0.0.4 has the suffix in the name, no units, no infos and no end`() {
            fill()
            let lines = registry.text(.prometheus).split(separator: "\n").filter { !$0.contains("_bucket") }
            #expect(
                lines == [
                    "# HELP a_requests_total A \\\\ \"help\".", "# TYPE a_requests_total counter",
                    "a_requests_total{to=\"b\"} 1", "a_requests_total{to=\"x\"} 3",
                    "# TYPE b_bytes gauge", "b_bytes 1.5",
                    "# TYPE c_seconds histogram", "c_seconds_sum 40.002", "c_seconds_count 2",
                    "# TYPE d summary", "d_sum 2", "d_count 1",
                    "# TYPE e_info gauge", "e_info{version=\"1\"} 1",
                ])
        }

        @Test(
            arguments: [
                ("application/openmetrics-text", true),
                ("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3", true),
                ("text/plain, application/OpenMetrics-Text; q=0.1", true),
                ("application/openmetrics-text;q=0", false), ("*/*", false), ("", false),
                ("text/html,application/xhtml+xml", false),
            ])
        func `A client that names OpenMetrics gets it`(_ accept: String, _ isOpenMetrics: Bool) {
            let format = MetricsFormat(accept: AcceptHeader([accept]))
            #expect(format == (isOpenMetrics ? .openMetrics : .prometheus))
        }

        @Test func `Each format has its media type`() {
            #expect(
                MetricsFormat.openMetrics.mediaType
                    == "application/openmetrics-text; version=1.0.0; charset=utf-8")
            #expect(MetricsFormat.prometheus.mediaType == "text/plain; version=0.0.4; charset=utf-8")
        }

        @Test(
            arguments: [
                ("plain", "plain"), ("a\"b", "a\\\"b"), ("a\\b", "a\\\\b"), ("a\nb", "a\\nb"),
                ("a\r\nb", "a\r\\nb"), ("\\n", "\\\\n"), ("中\u{301}", "中\u{301}"), ("", ""),
                ("x\"} 1\ny 2", "x\\\"} 1\\ny 2"),
            ])
        func `Values of labels are escaped`(_ value: String, _ expected: String) {
            Counter(label: "a", dimensions: [("l", value)], factory: registry).increment()
            #expect(registry.openMetrics == "# TYPE a counter\na_total{l=\"\(expected)\"} 1\n# EOF\n")
        }

        @Test(
            arguments: [
                (0.0, "0"), (-0.0, "0"), (1, "1"), (0.1, "0.1"), (1e300, "1e+300"), (-2.5, "-2.5"),
                (.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (9e15, "9000000000000000"),
            ])
        func `Numbers are those of OpenMetrics`(_ number: Double, _ expected: String) {
            let gauge: GaugeSeries = registry.series(MetricDefinition("g", .gauge))
            gauge.record(number)
            #expect(registry.value("g") == expected)
        }

        @Test(
            arguments: [
                ("kingfisher.requests", .counter, "kingfisher_requests_total"),
                ("a_total", .counter, "a_total"), ("a.b-c d/ü", .gauge, "a_b_c_d___"),
                ("7a", .gauge, "_7a"), ("", .gauge, "_"), ("_total", .counter, "_total_total"),
                ("a:b", .gauge, "a_b"), ("build_info", .info, "build_info"),
                ("t_seconds", .summary, "t_seconds_sum"),
            ] as [(String, MetricDefinition.Kind, String)])
        func `Names have only allowed characters, and one suffix`(
            _ label: String, _ kind: MetricDefinition.Kind, _ expected: String
        ) {
            #expect(MetricDefinition(label, kind).sampleNames.first == expected)
        }

        @Test(
            arguments: [
                ("a.duration", .histogram, "seconds"), ("a.seconds", .gauge, "seconds"),
                ("stored.bytes", .counter, "bytes"), ("bytes", .gauge, nil), ("a", .counter, nil),
                ("a_bytes", .info, nil),
            ] as [(String, MetricDefinition.Kind, String?)])
        func `The unit is the end of the name`(
            _ label: String, _ kind: MetricDefinition.Kind, _ expected: String?
        ) {
            #expect(MetricDefinition(label, kind).unit == expected)
        }

        @Test(
            arguments: [
                ("le", "label_le"), ("quantile", "label_quantile"), ("__name__", "label___name__"),
                ("a b", "a_b"), ("ok", "ok"),
            ])
        func `Names of labels with a meaning get a prefix`(_ name: String, _ expected: String) {
            #expect(MetricLabels([(name, "x")]).pairs.map(\.name) == [expected])
        }
    }
}
