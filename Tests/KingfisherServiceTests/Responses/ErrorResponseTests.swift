import Foundation
import Testing

@testable import KingfisherService

private let rules = ServiceResponseRules.sample()

private func body(_ response: ServiceResponse) -> String {
    if case .text(let text) = response.body { text } else { "" }
}

struct ErrorResponseTests {
    @Test(
        arguments: [
            ([], "text/plain; charset=utf-8", "The \"x\" is \\ wrong.\n"),
            (["*/*"], "text/plain; charset=utf-8", "The \"x\" is \\ wrong.\n"),
            (["application/json;q=0"], "text/plain; charset=utf-8", "The \"x\" is \\ wrong.\n"),
            (
                ["text/html, application/json;q=0.5"], "application/json",
                "{\"status\":400,\"message\":\"The \\\"x\\\" is \\\\ wrong.\"}\n"
            ),
        ])
    func `An error is a line of text, or JSON`(
        _ accept: [String], _ mediaType: String, _ expected: String
    ) {
        let failure = ServiceFailure(ServiceError(400, "The \"x\" is \\ wrong.", at: 1))
        let response = rules.response(failure, .sample(nil, accept: accept))
        #expect(response.status == 400 && response.value(of: "Content-Type") == mediaType)
        #expect(body(response) == expected && response.contentLength == expected.utf8.count)
    }

    @Test(
        arguments: [
            (0, "Byte 0 of the path is '/'."), (3, "Byte 3 of the path is '%'."),
            (5, "Byte 5 of the path is 'é'."), (6, "Byte 6 of the path is 'é'."),
            (7, "Byte 7 of the path is '\u{FFFD}'."), (8, "The path ends at byte 8."),
        ])
    func `Development names the offset and the character`(_ offset: Int, _ expected: String) {
        let development = ServiceResponseRules.sample { $0.isDevelopment = true }
        var context = ServiceResponseContext.sample(nil)
        context.path = "/ab%4é\n"
        let failure = ServiceFailure(ServiceError(400, "Bad escape.", at: offset))
        #expect(body(development.response(failure, context)) == "Bad escape. \(expected)\n")
        #expect(body(rules.response(failure, context)) == "Bad escape.\n")
    }

    @Test(arguments: [-1, 9, .min, .max])
    func `An offset outside of the path is not named`(_ offset: Int) {
        let development = ServiceResponseRules.sample { $0.isDevelopment = true }
        var context = ServiceResponseContext.sample(nil)
        context.path = "/ab%4é\n"
        let failure = ServiceFailure(ServiceError(400, "Bad escape.", at: offset))
        #expect(body(development.response(failure, context)) == "Bad escape.\n")
    }

    @Test(arguments: [[], ["application/json"]], [ServiceError.invalidSignature, .sourceNotAllowed])
    func `Development explains a refused signature or source, and no other server does`(
        _ accept: [String], _ error: ServiceError
    ) throws {
        let development = ServiceResponseRules.sample { $0.isDevelopment = true }
        let context = ServiceResponseContext.sample(nil, accept: accept)
        let (failure, cause) = (ServiceFailure(error), try #require(error.cause))
        #expect(failure.reason == cause)
        #expect(body(development.response(failure, context)).contains("Forbidden. " + cause))
        #expect(!body(rules.response(failure, context)).contains(cause))
    }

    @Test func `Development has offset and character in JSON`() throws {
        let development = ServiceResponseRules.sample { $0.isDevelopment = true }
        var context = ServiceResponseContext.sample(nil, accept: ["application/json"])
        context.path = "/a\"b"
        let failure = ServiceFailure(ServiceError(400, "No.", at: 2))
        let text = body(development.response(failure, context))
        #expect(text == "{\"status\":400,\"message\":\"No.\",\"offset\":2,\"character\":\"\\\"\"}\n")
        let end = ServiceFailure(ServiceError(400, "No.", at: 4))
        #expect(
            body(development.response(end, context)) == "{\"status\":400,\"message\":\"No.\",\"offset\":4}\n")
    }

    @Test(arguments: [[], ["application/json"]])
    func `A hostile message stays one line and is bounded`(_ accept: [String]) throws {
        let hostile = (0...0xA0).compactMap(UnicodeScalar.init).map(String.init).joined()
        let message = hostile + "\u{2028}\u{202E}\r\n" + String(repeating: "x", count: 100_000)
        let response = rules.response(
            ServiceFailure(ServiceError(400, message)), .sample(nil, accept: accept))
        let text = body(response)
        #expect(text.hasSuffix("\n") && text.utf8.count < 2_200)
        #expect(!text.dropLast().unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 })
        if !accept.isEmpty {
            let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            #expect((json?["message"] as? String)?.unicodeScalars.count == 512)
        }
    }

    @Test(
        arguments: [
            (ServiceFailureKind.overloaded, Double?.none, 0.0, "1"), (.overloaded, 0.2, 1, "1"),
            (.overloaded, 2.1, 0, "3"), (.overloaded, 100, 0, "100"), (.overloaded, 100, 0.5, "105"),
            (.overloaded, 100, 1, "110"), (.overloaded, 100, 7, "110"), (.overloaded, 100, -7, "100"),
            (.overloaded, .nan, .nan, "1"), (.overloaded, .infinity, .infinity, "95040"),
            (.overloaded, -5, 0, "1"), (.clientRate, 30, 0.1, "30"), (.clientRate, 30, 0.5, "32"),
            (.stopping, nil, 0, "1"), (.cacheFull, nil, 0, "1"), (.sourceMissing, 10, 0, nil),
            (.sourceTimeout, 10, 0, nil), (.notAnImage, 10, 0, nil),
        ] as [(ServiceFailureKind, Double?, Double, String?)])
    func `429 and 503 have Retry-After with jitter`(
        _ kind: ServiceFailureKind, _ retryAfter: Double?, _ jitter: Double, _ expected: String?
    ) {
        var context = ServiceResponseContext.sample()
        context.jitter = jitter
        let response = rules.response(ServiceFailure(kind, retryAfter: retryAfter), context)
        #expect(response.value(of: "Retry-After") == expected)
    }

    @Test func `405 names the allowed methods`() {
        var failure = ServiceFailure(.method)
        #expect(rules.response(failure, .sample(nil)).value(of: "Allow") == "GET, HEAD")
        failure.allowedMethods = ["POST"]
        #expect(rules.response(failure, .sample(nil)).value(of: "Allow") == "POST")
        #expect(rules.response(ServiceFailure(.noRoute), .sample(nil)).value(of: "Allow") == nil)
    }

    @Test func `An error has the fields that every response has, and none of a file`() {
        var context = ServiceResponseContext.sample(.sample { ($0.filename, $0.isAttachment) = ("a", true) })
        context.requestID = "r"
        context.timing.total = .zero
        #expect(
            rules.response(ServiceFailure(.sourceStatus), context).fields.map(\.name) == [
                "Content-Type", "Cache-Control", "Vary", "X-Content-Type-Options", "Content-Security-Policy",
                "Cross-Origin-Resource-Policy", "X-Request-ID", "Server-Timing",
            ])
    }

    @Test func `The statuses are as in the specification`() {
        let expected: Set = [
            400, 404, 405, 413, 414, 416, 422, 429, 431, 499, 500, 502, 503, 504,
        ]
        #expect(Set(ServiceFailureKind.all.map(\.status)) == expected)
        #expect(Set(ServiceFailureKind.all.map(\.name)).count == ServiceFailureKind.all.count)
    }
}
