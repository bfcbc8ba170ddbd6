import Foundation
import HTTPTypes
import InMemoryTracing
import Kingfisher
import KingfisherService
import KingfisherTestSupport
import Logging
import Testing
import Tracing

@testable import KingfisherServer

extension ObservabilityTests {
    @Suite struct RequestObserversTests {
        private let pair: PacketPair
        private let observers: RequestObservers
        private let tracer = InMemoryTracer()
        private let clock = TestClock()

        init() throws {
            let pair = try PacketPair()
            let handler = LineLogHandler(json: false, to: LogOutput(descriptor: pair.input))
            let logger = Logger(label: "test") { _ in handler }
            self.pair = pair
            observers = RequestObservers(
                metrics: ServerMetrics(version: "1", workers: 1), log: RequestLog(logger))
        }

        private func value(_ series: String) -> String? {
            observers.metrics.registry.value("kingfisher_server_\(series)")
        }

        private func begin(_ fields: HTTPFields = [:]) -> RequestObservation {
            RequestObservation(
                observers, method: "GET", fields, timer: RequestTimer { [clock] in clock.time })
        }

        private func load(_ timer: RequestTimer) {
            clock.advance(.milliseconds(10))
            timer.mark(.downloadBegan)
            clock.advance(.milliseconds(40))
            timer.mark(.downloadEnded)
            timer.mark(.buildBegan)
            clock.advance(.milliseconds(30))
            timer.mark(.buildEnded)
        }

        @Test func `A request is counted and logged once`() throws {
            let observation = begin([
                .traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            ])
            #expect(value("requests_in_progress") == "1")
            load(observation.timer)
            var record = RequestRecord(method: "GET", status: 200)
            record.cache = .miss
            observation.end(record)
            observation.end(RequestRecord(method: "GET", status: 500))
            #expect(value("requests_in_progress") == "0")
            #expect(value("status_codes_total{status=\"200\"}") == "1")
            #expect(value("status_codes_total{status=\"500\"}") == "0")
            #expect(value("request_duration_seconds_sum") == "0.08")
            #expect(value("request_span_duration_seconds_sum{span=\"queue\"}") == "0.01")
            let lines = pair.packets()
            #expect(lines.count == 1)
            let line = try #require(lines.first)
            #expect(line.hasSuffix(" ms=80.0 cache=miss trace=0af7651916cd43dd8448eb211c80319c\n"))
        }

        @Test func `A request that is released has lost its client`() {
            do { _ = begin() }
            #expect(value("requests_in_progress") == "0")
            #expect(value("status_codes_total{status=\"499\"}") == "1")
            #expect(value("errors_total{type=\"client_left\"}") == "1")
            #expect(value("request_span_duration_seconds_count{span=\"queue\"}") == "0")
            #expect(pair.packets().first?.contains("status=499 bytes=0") == true)
        }

        @Test func `A request is a span with a child for each part`() throws {
            var record = RequestRecord(method: "GET", status: 502)
            (record.route, record.cache, record.failure) = (.native, .miss, "source_status")
            (record.source, record.requestID) = ("secret.example.com", "secret")
            withTracer(tracer) {
                let observation = begin()
                load(observation.timer)
                observation.end(record)
            }
            let spans = tracer.finishedSpans
            #expect(spans.map(\.operationName) == ["queue", "downloading", "processing", "request"])
            let root = try #require(spans.last)
            #expect(root.kind == .server)
            #expect(root.status?.code == .error)
            #expect(spans.dropLast().allSatisfy { $0.spanContext.parentSpanID == root.spanContext.spanID })
            let lengths = spans.dropLast().map {
                ($0.endInstant.nanosecondsSinceEpoch - $0.startInstant.nanosecondsSinceEpoch) / 1_000_000
            }
            #expect(lengths == [10, 40, 30])
            #expect(tracer.performedContextExtractions.count == 1)
            var attributes: [String: String] = [:]
            root.attributes.forEach { attributes[$0] = "\($1)" }
            #expect(attributes.count == 5)
            #expect(!"\(attributes)".contains("secret"))
        }

        @Test func `Spans of the operation are children of the request`() async throws {
            await withTracer(tracer) {
                let observation = begin()
                await observation.run {
                    await withSpan("inner") { _ in await Task.yield() }
                }
                observation.end(RequestRecord(method: "GET", status: 200))
            }
            let spans = tracer.finishedSpans
            #expect(spans.map(\.operationName) == ["inner", "request"])
            let root = try #require(spans.last)
            #expect(spans.first?.spanContext.parentSpanID == root.spanContext.spanID)
            #expect(root.status == nil)
        }

        @Test func `Events of the library reach timers and metrics between start and stop`() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: folder) }
            let cache = try ImageCache(name: "observers", cacheDirectoryURL: folder)
            let manager = KingfisherManager(downloader: ImageDownloader(name: "observers"), cache: cache)
            let data = try Fixtures.data(named: "PNG/gray1-adam7.png")
            func parts() async throws -> [ServerMetrics.Span] {
                let timer = RequestTimer()
                let provider = RawImageDataProvider(data: data, cacheKey: UUID().uuidString)
                try await observers.timers.follow(timer, .provider(provider)) {
                    _ = try await manager.retrieveImage(with: .provider(provider))
                }
                return timer.parts.map(\.span)
            }
            #expect(try await parts() == [])
            observers.start()
            #expect(try await parts() == [.queue, .processing])
            observers.stop()
            #expect(try await parts() == [])
            #expect(observers.metrics.registry.value("kingfisher_requests_total{result=\"source\"}") != nil)
            #expect(value("request_span_duration_seconds_count{span=\"processing\"}") != "0")
        }
    }
}
