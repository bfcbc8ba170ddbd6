import Testing

@testable import Kingfisher
@testable import KingfisherService

private let rules = ServiceResponseRules.sample()

private func lines(_ response: ServiceResponse) -> [String] {
    ["\(response.status)"] + response.fields.map { "\($0.name): \($0.value)" }
}

struct ServiceResponseRulesTests {
    @Test func `A response has all fields in a fixed order`() {
        let all = ServiceResponseRules.sample {
            ($0.allowedOrigin, $0.timingAllowedOrigin) = ("*", "https://e.com")
        }
        var context = ServiceResponseContext.sample(
            .sample {
                ($0.tags, $0.filename, $0.isAttachment) = (["product-17", "home"], "p q.jpg", true)
                ($0.version, $0.usesHints) = ("7", true)
            })
        context.requestID = "r-1"
        context.timing.cache = .memory
        context.timing.total = .milliseconds(2)
        let response = all.response(.sample(), ServiceResult(lastModified: 784_111_777), context)
        #expect(
            lines(response) == [
                "200", "Content-Type: image/webp", "Accept-Ranges: bytes", "ETag: \"abc\"",
                "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
                "Content-Disposition: attachment; filename=\"p q.jpg\"",
                "Cache-Control: public, max-age=86400, stale-while-revalidate=86400, "
                    + "stale-if-error=604800, immutable",
                "Vary: Accept, Sec-CH-Width, Width", "Surrogate-Key: product-17 home",
                "X-Content-Type-Options: nosniff",
                "Content-Security-Policy: default-src 'none'; sandbox",
                "Cross-Origin-Resource-Policy: cross-origin", "Access-Control-Allow-Origin: *",
                "Timing-Allow-Origin: https://e.com", "X-Request-ID: r-1",
                "Server-Timing: cache;desc=memory, total;dur=2.0",
            ])
        #expect(response.body == .bytes(0..<100) && response.contentLength == 100)
    }

    @Test func `A response without options has the fields that every response has`() {
        let response = rules.response(.sample(), ServiceResult(), .sample(.sample(.exactly(.PNG))))
        #expect(
            response.fields.map(\.name) == [
                "Content-Type", "Accept-Ranges", "ETag", "Cache-Control", "X-Content-Type-Options",
                "Content-Security-Policy", "Cross-Origin-Resource-Policy",
            ])
    }

    @Test func `304 has the fields that update a cached response, and no body`() {
        let context = ServiceResponseContext.sample(
            .sample { ($0.tags, $0.filename, $0.usesHints) = (["a"], "a.jpg", true) })
        let response = rules.response(
            .sample(["If-None-Match": "W/\"abc\""]), ServiceResult(lastModified: 0), context)
        #expect(
            lines(response).prefix(6) == [
                "304", "Accept-Ranges: bytes", "ETag: \"abc\"",
                "Cache-Control: public, max-age=86400, stale-while-revalidate=86400, stale-if-error=604800",
                "Vary: Accept, Sec-CH-Width, Width", "Surrogate-Key: a",
            ])
        #expect(response.body == .none && response.contentLength == nil)
    }

    @Test(
        arguments: [
            (["Range": "bytes=10-19"], "GET", 206, 10..<20), (["Range": "bytes=10-19"], "HEAD", 200, 0..<100),
            (["Range": "bytes=0-1", "If-Range": "\"abc\""], "GET", 206, 0..<2),
            (["Range": "bytes=0-1", "If-Range": "\"xyz\""], "GET", 200, 0..<100),
            (["Range": "bytes=0-1", "If-Range": "W/\"abc\""], "GET", 200, 0..<100),
            (["Range": "bytes=0-1,5-6"], "GET", 200, 0..<100),
            (["If-None-Match": "\"xyz\""], "GET", 200, 0..<100),
        ])
    func `Ranges and conditions apply to the file`(
        _ header: [String: String], _ method: String, _ status: Int, _ range: Range<Int>
    ) {
        let response = rules.response(.sample(header, method: method), ServiceResult(), .sample())
        #expect(response.status == status && response.body == .bytes(range))
        let expected = status == 206 ? "bytes \(range.lowerBound)-\(range.upperBound - 1)/100" : nil
        #expect(response.value(of: "Content-Range") == expected)
    }

    @Test func `If-None-Match is compared before If-Range`() {
        let header = ["If-None-Match": "\"abc\"", "Range": "bytes=0-1", "If-Range": "\"abc\""]
        #expect(rules.response(.sample(header), ServiceResult(), .sample()).status == 304)
    }

    @Test func `416 is an error with the length of the file`() {
        let response = rules.response(
            .sample(["Range": "bytes=100-"]), ServiceResult(lastModified: 0), .sample())
        #expect(
            lines(response).prefix(6) == [
                "416", "Content-Type: text/plain; charset=utf-8", "Content-Range: bytes */100",
                "Accept-Ranges: bytes", "Cache-Control: no-store", "Vary: Accept",
            ])
        #expect(response.body == .text("The range is beyond the end of the image.\n"))
    }

    @Test(
        arguments: [
            (ServiceRequest.sample(), String?.some("Accept")), (.sample(.original), "Accept"),
            (.sample(.exactly(.PNG)), nil), (.sample(isNegotiable: false), nil),
            (.sample(.original, isNegotiable: false), nil), (.sample(kind: .information), nil),
            (.sample(.exactly(.PNG)) { $0.usesHints = true }, "Sec-CH-Width, Width"),
            (.sample { $0.usesHints = true }, "Accept, Sec-CH-Width, Width"),
            (.sample(kind: .information) { $0.usesHints = true }, nil),
        ])
    func `Every response of a URL has the same Vary`(_ request: ServiceRequest, _ expected: String?) {
        let context = ServiceResponseContext.sample(request)
        var responses = [ServiceResult.Kind.final, .interim, .fallback].map {
            rules.response(.sample(), ServiceResult($0), context)
        }
        for header in [["If-None-Match": "*"], ["Range": "bytes=0-0"], ["Range": "bytes=100-"]] {
            responses.append(rules.response(.sample(header), ServiceResult(), context))
        }
        responses += ServiceFailureKind.all.map { rules.response(ServiceFailure($0), context) }
        #expect(Set(responses.map { $0.value(of: "Vary") }) == [expected])
    }

    @Test func `Without formats to offer, and without a readable URL, there is no Vary`() {
        let none = ServiceResponseRules.sample { $0.negotiation = .sample([]) }
        #expect(none.response(.sample(), ServiceResult(), .sample()).value(of: "Vary") == nil)
        #expect(rules.response(ServiceFailure(.noRoute), .sample(nil)).value(of: "Vary") == nil)
    }

    @Test func `Only a fallback is marked`() {
        let name = "X-Kingfisher-Fallback"
        for kind in [ServiceResult.Kind.final, .interim, .fallback] {
            let response = rules.response(.sample(), ServiceResult(kind, lastModified: 0), .sample())
            #expect(response.value(of: name) == (kind == .fallback ? "1" : nil))
            #expect((response.value(of: "Last-Modified") == nil) == (kind == .fallback))
            #expect(response.status == 200)
        }
    }

    @Test func `Last-Modified is not in the future`() {
        let result = ServiceResult(lastModified: .max)
        let response = rules.response(.sample(), result, .sample())
        #expect(response.value(of: "Last-Modified") == "Tue, 14 Nov 2023 22:13:20 GMT")
        let old = rules.response(.sample(), ServiceResult(lastModified: -1), .sample())
        #expect(old.value(of: "Last-Modified") == nil)
    }

    @Test func `Surrogate-Key is on responses that are stored`() {
        let context = ServiceResponseContext.sample(.sample { $0.tags = ["a", "b\r\nX: 1", "c d", "e"] })
        let key = "Surrogate-Key"
        #expect(rules.response(.sample(), ServiceResult(), context).value(of: key) == "a e")
        #expect(rules.response(ServiceFailure(.sourceMissing), context).value(of: key) == "a e")
        #expect(rules.response(ServiceFailure(.overloaded), context).value(of: key) == nil)
    }
}

struct FixedFieldTests {
    @Test(
        arguments: [
            ("abc-1_2.3", "abc-1_2.3"), (String(repeating: "a", count: 64), nil),
            (String(repeating: "a", count: 65), "new"), ("", "new"), (nil, "new"), ("a b", "new"),
            ("a\r\nX: 1", "new"), ("é", "new"), ("a/b", "new"), ("<script>", "new"),
        ] as [(String?, String?)])
    func `A sane request identifier is kept`(_ received: String?, _ expected: String?) {
        #expect(ServiceRequestID.choose(received, otherwise: "new") == expected ?? received)
    }

    @Test func `A value with a line break is not sent`() {
        let unsafe = ServiceResponseRules.sample {
            ($0.allowedOrigin, $0.timingAllowedOrigin) = ("*\r\nX: 1", "é")
        }
        var context = ServiceResponseContext.sample()
        context.requestID = "a\nb"
        let response = unsafe.response(.sample(), ServiceResult(), context)
        for name in ["Access-Control-Allow-Origin", "Timing-Allow-Origin", "X-Request-ID"] {
            #expect(response.value(of: name) == nil)
        }
    }

    @Test func `Timings are milliseconds with a decimal`() {
        var timing = ServiceTiming()
        #expect(timing.field == nil)
        timing.cache = .miss
        timing.download = .microseconds(12_399)
        timing.build = .seconds(-3)
        timing.total = .seconds(3)
        #expect(timing.field == "cache;desc=miss, download;dur=12.3, build;dur=0.0, total;dur=3000.0")
        timing = ServiceTiming()
        timing.total = .seconds(Int64.max)
        #expect(timing.field == "total;dur=86400000.0")
        timing.total = .seconds(Int64.min)
        #expect(timing.field == "total;dur=0.0")
    }

    @Test(arguments: ["memory", "disk", "shared", "miss"])
    func `The cache is described`(_ name: String) {
        var timing = ServiceTiming()
        timing.cache = .init(rawValue: name)
        #expect(timing.field == "cache;desc=\(name)")
    }
}
