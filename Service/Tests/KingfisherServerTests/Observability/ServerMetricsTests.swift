import Foundation
import Kingfisher
import KingfisherService
import Testing

@testable import KingfisherServer

extension ObservabilityTests {
    @Suite struct ServerMetricsTests {
        private let metrics = ServerMetrics(version: "1.2.3", workers: 4)

        private func value(_ series: String) -> String? {
            metrics.registry.value("kingfisher_server_\(series)")
        }

        private func end(
            _ status: Int, _ cache: ServiceTiming.Cache? = nil, failure: String? = nil
        ) {
            var record = RequestRecord(method: "GET", status: status)
            record.duration = .milliseconds(20)
            (record.cache, record.failure) = (cache, failure)
            metrics.requestEnded(record)
        }

        @Test(
            arguments: [
                "requests_total", "status_codes_total{status=\"200\"}", "errors_total{type=\"overloaded\"}",
                "request_duration_seconds_count", "request_span_duration_seconds_count{span=\"queue\"}",
                "request_span_duration_seconds_count{span=\"downloading\"}",
                "request_span_duration_seconds_count{span=\"processing\"}", "workers",
                "requests_in_progress", "images_in_progress", "workers_utilization", "cache_hits_total",
                "cache_misses_total", "results_total{from=\"disk\"}", "queue_length",
                "memory_budget_bytes{state=\"reserved\"}", "memory_budget_bytes{state=\"total\"}",
                "refused_total{reason=\"client_rate\"}", "signature_failures_total",
                "background_queue_length", "purged_files_total", "decoder_processes",
                "build_info{version=\"1.2.3\"}",
            ])
        func `A server that has done nothing has every metric`(_ series: String) {
            let expected = series == "workers" ? "4" : series.hasPrefix("build_info") ? "1" : "0"
            #expect(value(series) == expected)
        }

        @Test func `Every metric of the table has its help in the text`() {
            let text = metrics.registry.openMetrics
            for definition in ServerMetricTable.all {
                #expect(!definition.help.isEmpty)
                #expect(text.contains("\n# HELP \(definition.name) \(definition.help)\n"))
            }
            let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
            #expect(types.count == ServerMetricTable.all.count)
        }

        @Test func `The page about metrics is that of the table`() throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
            let page = folder.appending(path: "../../../docs/metrics.md").standardized
            let text = try String(contentsOf: page, encoding: .utf8)
            #expect(text == ServerMetricTable.page, "Write the text of ServerMetricTable.page to the page.")
        }

        @Test func `A request is in progress until it ends`() {
            metrics.requestBegan()
            metrics.requestBegan()
            #expect(value("requests_in_progress") == "2")
            end(200)
            #expect(value("requests_in_progress") == "1")
            #expect(value("requests_total") == "2")
            #expect(value("request_duration_seconds_bucket{le=\"0.01\"}") == "0")
            #expect(value("request_duration_seconds_bucket{le=\"0.025\"}") == "1")
        }

        @Test(arguments: [200, 206, 304, 400, 403, 404, 410, 413, 422, 429, 499, 500, 502, 503, 504])
        func `Statuses of the service are labels`(_ status: Int) {
            end(status)
            #expect(value("status_codes_total{status=\"\(status)\"}") == "1")
        }

        @Test(arguments: [0, -1, 299, 777, Int.max])
        func `Other statuses are other`(_ status: Int) {
            end(status)
            #expect(value("status_codes_total{status=\"other\"}") == "1")
        }

        @Test(
            arguments: [
                (ServiceTiming.Cache.memory, "memory", true), (.disk, "disk", true),
                (.shared, "shared", true), (.miss, "source", false),
            ])
        func `A result counts where it was found`(
            _ cache: ServiceTiming.Cache, _ origin: String, _ isHit: Bool
        ) {
            end(200, cache)
            #expect(value("results_total{from=\"\(origin)\"}") == "1")
            #expect(value("cache_hits_total") == (isHit ? "1" : "0"))
            #expect(value("cache_misses_total") == (isHit ? "0" : "1"))
        }

        @Test func `A request without a result is no hit and no miss`() {
            end(404, failure: "source_missing")
            #expect(value("cache_hits_total") == "0")
            #expect(value("cache_misses_total") == "0")
            #expect(value("errors_total{type=\"source_missing\"}") == "1")
        }

        @Test(
            arguments: [
                ("client_rate", "1"), ("overloaded", "1"), ("cache_full", "1"), ("stopping", "1"),
                ("source_missing", nil), ("unexpected", nil),
            ] as [(String, String?)])
        func `Errors by load count as refused`(_ failure: String, _ expected: String?) {
            end(503, failure: failure)
            #expect(value("refused_total{reason=\"\(failure)\"}") == expected)
            #expect(value("errors_total{type=\"\(failure)\"}") == "1")
        }

        @Test(arguments: ServerMetrics.Refusal.allCases)
        func `Each refusal has its reason`(_ refusal: ServerMetrics.Refusal) {
            metrics.refused(refusal)
            #expect(value("refused_total{reason=\"\(refusal.rawValue)\"}") == "1")
        }

        @Test func `Utilization is the share of workers with an image`() {
            for _ in 0..<3 { metrics.imageBegan() }
            #expect(value("workers_utilization") == "75")
            metrics.imageEnded()
            #expect(value("images_in_progress") == "2")
            #expect(value("workers_utilization") == "50")
        }

        @Test func `Levels and counts have their values`() {
            metrics.setBackgroundQueueLength(3)
            metrics.setDecoderProcesses(2)
            metrics.purged(files: 5)
            metrics.purged(files: 0)
            metrics.signatureFailed()
            #expect(value("background_queue_length") == "3")
            #expect(value("decoder_processes") == "2")
            #expect(value("purged_files_total") == "5")
            #expect(value("signature_failures_total") == "1")
        }

        @Test(
            arguments: [
                ("mw is not supported: a size has no minimum.", 400, "mw"),
                ("padding 1,2 is not supported: the filter fill adds it.", 400, "padding"),
                ("smart is not supported: there is no crop by content.", 400, "smart"),
                ("evil.example.com is not supported: there is no such filter.", 400, "other"),
                ("product-17 is not supported: there is no such option.", 400, "other"),
                ("quality is invalid: expected a number.", 400, nil),
                ("mw is not supported: a size has no minimum.", 403, nil), ("Forbidden.", 400, nil),
            ] as [(String, Int, String?)])
        func `A refused option is a label if it is documented`(
            _ message: String, _ status: Int, _ expected: String?
        ) {
            let error = ServiceError(status, message)
            #expect(CompatibleOptionName.refused(by: error) == expected)
            metrics.optionRefused(.imgproxy, error)
            let lines = metrics.registry.openMetrics.split(separator: "\n")
                .filter { $0.hasPrefix("kingfisher_server_compat_refused_total") }
            let line = expected.map {
                "kingfisher_server_compat_refused_total{option=\"\($0)\",reader=\"imgproxy\"} 1"
            }
            #expect(lines.map { String($0) } == [line].compactMap(\.self))
        }

        @Test(
            arguments: [
                ("/imgproxy/unsafe/mw:9/plain/https://e.com/a.jpg", "mw"),
                ("/imgproxy/unsafe/min_height:9/plain/https://e.com/a.jpg", "min_height"),
                ("/imgproxy/unsafe/rs:auto:9:9/plain/https://e.com/a.jpg", "rs"),
                ("/imgproxy/unsafe/dpi:9/plain/https://e.com/a.jpg", "dpi"),
                ("/imgproxy/unsafe/secret:9/plain/https://e.com/a.jpg", "other"),
                ("/thumbor/unsafe/full-fit-in/9x9/e.com/a.jpg", "full-fit-in"),
                ("/thumbor/unsafe/filters:equalize()/e.com/a.jpg", "equalize"),
                ("/thumbor/unsafe/filters:secret()/e.com/a.jpg", "other"),
            ])
        func `Refused options of URLs have their name`(_ path: String, _ expected: String) throws {
            var settings = ServiceSettings(signing: .off)
            settings.imgproxy = .init(keys: [])
            settings.thumbor = .init(key: [1])
            let urls = try ServiceURLs(settings)
            let error = #expect(throws: ServiceError.self) { try urls.request(path: path, now: 0) }
            #expect(error.flatMap(CompatibleOptionName.refused) == expected, "\(error?.message ?? "none")")
        }

        @Test func `No text of a client is in a label`() {
            let hostile = [
                "https://secret.example.com/a.jpg?token=hostile", "secret.example.com", "product-hostile",
                "x\"} 9\nhostile_total 1", "\u{202E}hostile", "hostile\0",
                String(repeating: "hostile", count: 99),
            ]
            let observer = ServerEventObserver(metrics)
            let library = metrics.libraryObserver
            for text in hostile {
                var record = RequestRecord(method: text, status: 404)
                (record.source, record.requestID, record.traceID) = (text, text, text)
                (record.signature, record.failure) = (text, text)
                metrics.requestEnded(record)
                metrics.optionRefused(.thumbor, ServiceError(400, "\(text) is not supported: no."))
                let url = URL(string: "https://secret.example.com/hostile")!
                let events: [KingfisherEvent] = [
                    .requestBegan(source: text), .downloadStarted(url: url),
                    .downloadFinished(url: url, status: 200, bytes: 1, duration: 1),
                    .processed(source: text, processor: text, isSuccess: true, duration: 1),
                    .stored(key: text, bytes: 1),
                    .requestFinished(source: text, cacheType: .none, duration: 1),
                    .tierHit(tier: "redis", key: text, bytes: 1, duration: 1),
                    .requestCancelled(source: text, duration: 1),
                ]
                for event in events {
                    observer.kingfisher(didReport: event)
                    library.kingfisher(didReport: event)
                }
            }
            let text = metrics.registry.openMetrics
            #expect(!text.contains("hostile"))
            #expect(!text.contains("secret"))
            #expect(value("errors_total{type=\"other\"}") == "\(hostile.count)")
            #expect(value("compat_refused_total{option=\"other\",reader=\"thumbor\"}") == "\(hostile.count)")
        }

        @Test func `Memory, queue and parts come from events`() {
            let observer = ServerEventObserver(metrics)
            let url = URL(string: "https://example.com/a.jpg")!
            observer.kingfisher(
                didReport: .admissionChanged(bytesInFlight: 100, queueLength: 7, budget: 1_000))
            observer.kingfisher(
                didReport: .downloadFinished(url: url, status: 200, bytes: 1, duration: 0.2))
            observer.kingfisher(
                didReport: .processed(source: "a", processor: "", isSuccess: true, duration: 0.002))
            observer.kingfisher(
                didReport: .processed(source: "a", processor: "", isSuccess: true, duration: .nan))
            #expect(value("memory_budget_bytes{state=\"reserved\"}") == "100")
            #expect(value("memory_budget_bytes{state=\"total\"}") == "1000")
            #expect(value("queue_length") == "7")
            #expect(value("request_span_duration_seconds_sum{span=\"downloading\"}") == "0.2")
            #expect(value("request_span_duration_seconds_sum{span=\"processing\"}") == "0.002")
            #expect(value("request_span_duration_seconds_count{span=\"processing\"}") == "2")
            metrics.record(.queue, .milliseconds(3))
            #expect(value("request_span_duration_seconds_sum{span=\"queue\"}") == "0.003")
        }

        @Test func `The library's events are in the same text`() {
            metrics.libraryObserver.kingfisher(
                didReport: .requestFinished(source: "a", cacheType: .disk, duration: 0.5))
            let registry = metrics.registry
            #expect(registry.value("kingfisher_requests_total{result=\"disk\"}") == "1")
            #expect(registry.value("kingfisher_request_duration_seconds_count{result=\"disk\"}") == "1")
        }

        @Test(
            arguments: [
                (Duration.zero, 0), (.nanoseconds(7), 7), (.seconds(-1), -1_000_000_000),
                (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
            ] as [(Duration, Int64)])
        func `Durations are bounded as nanoseconds`(_ duration: Duration, _ expected: Int64) {
            #expect(duration.nanoseconds == expected)
        }
    }
}
