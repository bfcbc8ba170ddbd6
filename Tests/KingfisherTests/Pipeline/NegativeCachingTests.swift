import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// Requests for sources that have no image.
@Suite struct NegativeCachingTests {
    private static let known = ["invalidHTTPStatusCode", "knownFailure", "knownFailure"]

    @Test("After a 404 or 410 the source is not loaded until the failure expires", arguments: [404, 410])
    func status(_ status: Int) async throws {
        let rig = try AbsenceRig(StubAnswer(status: status))
        #expect(try await rig.reasons(3) == Self.known && rig.requests == 1)
        rig.clock.advance(by: 45)
        guard case .resourceError(.knownFailure(status, let seconds)) = try await rig.retrieve().failure
        else {
            Issue.record("expected a known failure")
            return
        }
        #expect(seconds == 15)
        rig.clock.advance(by: 15)
        #expect(try await rig.reasons(2) == ["invalidHTTPStatusCode", "knownFailure"] && rig.requests == 2)
    }

    @Test("A response that is not an image is remembered for its processor")
    func notAnImage() async throws {
        for data in [TestImages.garbage, Data("<html><body>Not found</body></html>".utf8)] {
            let rig = try AbsenceRig(.ok(data))
            #expect(try await rig.reasons(2) == ["processingFailed", "knownFailure"] && rig.requests == 1)
            guard case .resourceError(.knownFailure(nil, _)) = try await rig.retrieve().failure else {
                Issue.record("expected a known failure without a status")
                continue
            }
            let options: KingfisherOptionsInfo = [.processor(CountingProcessor("p"))]
            #expect(try await rig.reasons(2, options) == ["processingFailed", "knownFailure"])
            #expect(rig.requests == 2)
        }
    }

    @Test("Bytes under an unknown content coding that no codec reads are not remembered")
    func unknownCoding() async throws {
        var answer = StubAnswer.ok(Data(try TestImages.png.base64EncodedString().utf8))
        answer.headers["Content-Encoding"] = "base64"
        let rig = try AbsenceRig(answer)
        #expect(try await rig.reasons(2) == ["processingFailed", "processingFailed"] && rig.requests == 2)
        answer.headers["Content-Encoding"] = "identity"
        rig.serve(answer)
        #expect(try await rig.reasons(2) == ["processingFailed", "knownFailure"])
    }

    @Test("A 404 is known for every processor")
    func processors() async throws {
        let rig = try AbsenceRig()
        _ = try await rig.retrieve([.processor(CountingProcessor("p"))])
        #expect(try await rig.reasons(1, [.processor(CountingProcessor("q"))]) == ["knownFailure"])
        #expect(try await rig.reasons(1) == ["knownFailure"] && rig.requests == 1)
    }

    @Test(
        "Server errors, refusals, lost connections and damaged images are not remembered",
        arguments: 0..<12)
    func otherFailures(_ number: Int) async throws {
        let png = try TestImages.png
        let answers: [StubAnswer] =
            [400, 401, 403, 408, 500, 502, 503, 504].map { StubAnswer(status: $0) } + [
                .failure(.timedOut(.idle)), .failure(.connectionLost("test")), .ok(png.prefix(40)),
                .ok(Data()),
            ]
        let rig = try AbsenceRig(answers[number])
        let reasons = try await rig.reasons(2)
        #expect(!reasons.contains("knownFailure") && !reasons.contains("image") && rig.requests == 2)
    }

    @Test("A 429 is not remembered as a failure of the image")
    func tooManyRequests() async throws {
        let rig = try AbsenceRig(StubAnswer(status: 429, headers: ["Retry-After": "0"]))
        #expect(try await rig.reasons(2) == ["invalidHTTPStatusCode", "invalidHTTPStatusCode"])
    }

    @Test("A processor that fails for an image is not remembered, nor is an image above the limits")
    func processorFailures() async throws {
        let rig = try AbsenceRig(.ok(try TestImages.png))
        let failing = CountingProcessor("failing") { _ in nil }
        #expect(try await rig.reasons(2, [.processor(failing)]) == ["processingFailed", "processingFailed"])
        let tight = DecodingContext(limits: ImageLimits(maximumPixels: 1))
        #expect(
            try await rig.reasons(2, [.decodingContext(tight)]) == ["processingFailed", "processingFailed"])
        #expect(rig.requests == 4)
    }

    @Test("A cancelled request is not remembered")
    func cancellation() async throws {
        let rig = try AbsenceRig()
        rig.stub.hold()
        let inbox = Inbox<AbsenceRig.Outcome>()
        let task = rig.manager.retrieveImage(with: rig.url) { inbox.put($0) }
        #expect(await poll { rig.requests == 1 })
        task?.cancel()
        _ = try await inbox.first()
        rig.stub.release()
        #expect(try await rig.reasons(1) == ["invalidHTTPStatusCode"])
    }

    @Test("Without the option, and with nil, nothing is remembered or looked up")
    func off() async throws {
        let rig = try AbsenceRig()
        #expect(
            try await rig.reasons(2, [.negativeCaching(nil)])
                == ["invalidHTTPStatusCode", "invalidHTTPStatusCode"])
        #expect(try await rig.reasons(2) == ["invalidHTTPStatusCode", "knownFailure"])
        #expect(try await rig.reasons(1, [.negativeCaching(nil)]) == ["invalidHTTPStatusCode"])
        rig.manager.defaultOptions = []
        #expect(try await rig.reasons(1) == ["invalidHTTPStatusCode"] && rig.requests == 5)
    }

    @Test("forceRefresh loads the source, and its image removes the failure")
    func forceRefresh() async throws {
        let rig = try AbsenceRig()
        #expect(
            try await rig.reasons(2, [.forceRefresh]) == ["invalidHTTPStatusCode", "invalidHTTPStatusCode"])
        #expect(try await rig.reasons(1) == ["knownFailure"])
        rig.serve(.ok(try TestImages.png))
        #expect(try await rig.reasons(1, [.forceRefresh, .cacheMemoryOnly]) == ["image"])
        // Until a request has left the key, and its transfer the list, a later one may use its image.
        #expect(await poll { rig.cache.traffic.count == 0 })
        #expect(await poll { rig.manager.downloader.transfers.withLock { $0.isEmpty } })
        rig.cache.memoryStorage.removeAll()
        #expect(try await rig.reasons(1) == ["image"] && rig.requests == 4)
    }

    @Test("A cached image is delivered although its source is known to have none")
    func cachedImage() async throws {
        let rig = try AbsenceRig()
        _ = try await rig.retrieve()
        try await rig.cache.store(try .blank(), forKey: rig.url.cacheKey)
        #expect(try await rig.reasons(1) == ["image"] && rig.requests == 1)
    }

    @Test("Removing the image, by key or by prefix, and clearing memory forget the failure")
    func removal() async throws {
        let rig = try AbsenceRig()
        let removals: [@Sendable (ImageCache) async throws -> Void] = [
            { [key = rig.url.cacheKey] in $0.removeImage(forKey: key, completionHandler: nil) },
            { [key = rig.url.cacheKey] in try await $0.removeImage(forKey: key) },
            { [key = rig.url.cacheKey] in _ = try? await $0.removeImages(keyPrefix: String(key.dropLast())) },
            { $0.clearMemoryCache() },
        ]
        for removal in removals {
            #expect(try await rig.reasons(2) == ["invalidHTTPStatusCode", "knownFailure"])
            try await removal(rig.cache)
        }
        #expect(try await rig.reasons(1) == ["invalidHTTPStatusCode"])
        _ = try await rig.cache.removeImages(tagged: ["a"])
        #expect(try await rig.reasons(1) == ["knownFailure"])
    }

    @Test("Fifty concurrent requests load the source once, and further ones not at all")
    func concurrency() async throws {
        let rig = try AbsenceRig()
        let joins = EventCollector("download.joined", of: rig.url)
        rig.stub.hold()
        let inbox = Inbox<String?>()
        for _ in 0..<50 {
            rig.manager.retrieveImage(with: rig.url, options: [.callbackQueue(.untouch)]) {
                inbox.put(reason($0))
            }
        }
        #expect(await poll { joins.events.count == 49 })
        rig.stub.release()
        #expect(try await inbox.first(50).allSatisfy { $0 == "invalidHTTPStatusCode" })
        #expect(try await rig.reasons(1) == ["knownFailure"] && rig.requests == 1)
        #expect(rig.cache.failures.withLock(\.count) == 1)
    }

    @Test("A known failure proceeds to the alternative source")
    func alternatives() async throws {
        let png = try TestImages.png
        let rig = try AbsenceRig()
        _ = try await rig.retrieve()
        rig.serve(.ok(png))
        let other = Source.network(Bench.freshURL())
        let result = try await rig.retrieve([.alternativeSources([other])]).get()
        #expect(result.source.cacheKey == other.cacheKey && rig.requests == 2)
    }

    @Test("Retries do not load a source that is known to have no image")
    func retries() async throws {
        let rig = try AbsenceRig()
        let persistent = ScriptedStrategy(retries: 5)
        #expect(try await rig.reasons(1, [.retryStrategy(persistent)]) == ["knownFailure"])
        #expect(persistent.counts == Array(0...5) && rig.requests == 1)
        let delayed = DelayRetryStrategy(maxRetryCount: 1_000, retryInterval: .seconds(0))
        #expect(try await rig.reasons(1, [.retryStrategy(delayed)]) == ["knownFailure"])
        #expect(rig.requests == 1)
    }

    @Test("onlyFromCache fails as without a known failure")
    func onlyFromCache() async throws {
        let rig = try AbsenceRig()
        _ = try await rig.retrieve()
        #expect(try await rig.reasons(1, [.onlyFromCache]) == ["imageNotExisting"])
    }

    @Test("Failures of providers are not remembered")
    func providers() async throws {
        let rig = try AbsenceRig()
        let source = Source.provider(
            RawImageDataProvider(data: TestImages.garbage, cacheKey: rig.url.cacheKey))
        for _ in 0..<2 {
            let result: AbsenceRig.Outcome = try await outcome {
                rig.manager.retrieveImage(with: source, completionHandler: $0)
            }
            #expect(reason(result) == "processingFailed")
        }
        #expect(rig.cache.failures.withLock(\.count) == 0)
        // A known failure of a download under the same key does not concern the provider.
        _ = try await rig.retrieve()
        let result: AbsenceRig.Outcome = try await outcome {
            rig.manager.retrieveImage(with: source, completionHandler: $0)
        }
        #expect(reason(result) == "processingFailed")
    }

    @Test("retrieveData, the async API and a prefetcher use known failures, too")
    func otherEntries() async throws {
        let rig = try AbsenceRig()
        let first = await #expect(throws: KingfisherError.self) {
            try await rig.manager.retrieveData(with: rig.url)
        }
        #expect(first?.reasonName == "invalidHTTPStatusCode")
        for _ in 0..<2 {
            let error = await #expect(throws: KingfisherError.self) {
                try await rig.manager.retrieveData(with: rig.url)
            }
            #expect(error?.reasonName == "knownFailure")
        }
        let error = await #expect(throws: KingfisherError.self) {
            try await rig.manager.retrieveImage(with: rig.url)
        }
        #expect(error?.reasonName == "knownFailure")
        let failed = Inbox<Int>()
        ImagePrefetcher(sources: [.network(rig.url)], options: [.manager(rig.manager)]) { _, failures, _ in
            failed.put(failures.count)
        }
        .start()
        #expect(try await failed.first() == 1 && rig.requests == 1)
    }

    @Test("A stale image is revalidated, and a 404 that removes it is remembered")
    func revalidation() async throws {
        let rig = try FreshnessRig()
        let options: KingfisherOptionsInfo = [.negativeCaching(NegativeCaching(duration: 60, jitter: 0))]
        _ = try await rig.retrieve(options).get()
        rig.clock.advance(by: 61)
        rig.serve { $0.status = 404 }
        #expect(reason(try await rig.retrieve(options)) == "invalidHTTPStatusCode")
        try await rig.cache.settle()
        #expect(reason(try await rig.retrieve(options)) == "knownFailure")
        #expect(rig.server.requestCount() == 2)
    }

    @Test("A known failure is reported with its status and its remaining time")
    func event() async throws {
        let rig = try AbsenceRig()
        let collector = EventCollector("failure.known", of: rig.url)
        #expect(try await rig.reasons(2) == ["invalidHTTPStatusCode", "knownFailure"])
        let event = try #require(collector.events.values.first)
        #expect(collector.events.count == 1 && event.subject == rig.url.absoluteString)
        #expect(event.details == ["status": "404", "retryAfter": "60.0"])
    }
}
