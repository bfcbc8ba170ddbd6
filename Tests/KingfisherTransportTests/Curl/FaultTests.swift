import CCurl
import Foundation
import FoundationNetworking
import KingfisherTestSupport
import Testing

@testable import KingfisherTransport

/// Server faults and their errors; afterwards the transport still works.
@Suite struct FaultTests {
    enum Expected: Sendable {
        case connectionLost, truncated, malformed, tooLarge, headerTooLarge, undecodable, tls

        func matches(_ error: TransportError?) -> Bool {
            switch (self, error) {
            case (.connectionLost, .connectionLost), (.truncated, .truncated), (.malformed, .malformed),
                (.tooLarge, .bodyTooLarge), (.headerTooLarge, .headerTooLarge), (.undecodable, .undecodable),
                (.tls, .tls):
                true
            default: false
            }
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: ServerResponse
        let expected: [Expected]
    }

    static let body = bytes(50_000)
    static let faults: [Fault] = [
        Fault("immediate reset", ServerResponse([.reset]), .connectionLost),
        Fault(
            "reset in the header", ServerResponse([.send(Data("HTTP/1.1 200".utf8)), .reset]), .connectionLost
        ),
        Fault("reset in the body", .partial(body, of: 90_000, then: .reset), .connectionLost, .truncated),
        Fault("closed in the body", .partial(body, of: 90_000, then: .close), .truncated),
        Fault("closed in a chunked body", .truncatedChunks([body]), .truncated),
        Fault("a bad chunk size", .chunked([]).replacingLast("zz\r\n"), .malformed),
        Fault(
            "another protocol", .raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbytes"),
            .malformed),
        Fault("empty response", ServerResponse([.close]), .connectionLost),
        Fault("garbage", .raw("this is no web server\r\n\r\n"), .malformed),
        Fault("a status that is not a number", .raw("HTTP/1.1 abc Fine\r\n\r\n"), .malformed),
        Fault(
            "length beyond 64 bits", .lying(body, announcing: "99999999999999999999"), .malformed),
        Fault("largest length", .lying(body, announcing: "9223372036854775807"), .tooLarge, .truncated),
        Fault("negative length", .lying(body, announcing: "-5"), .malformed),
        Fault("a length that is not a number", .lying(body, announcing: "much"), .malformed),
        Fault("two lengths", .ok(body, headers: [("Content-Length", "7")]), .malformed),
        Fault("length too long", .lying(body, announcing: "60000"), .truncated),
        Fault(
            "a header of many lines",
            ServerResponse([.send(ServerResponse.head(200, headers: flood(count: 5_000, size: 100)))]),
            .headerTooLarge, .connectionLost, .malformed),
        Fault(
            "one endless header line",
            ServerResponse([.send(ServerResponse.head(200, headers: flood(count: 1, size: 900_000)))]),
            .headerTooLarge, .connectionLost, .malformed),
        Fault(
            "endless interim responses",
            ServerResponse(Array(repeating: .send(interim), count: 3_000)), .headerTooLarge, .connectionLost),
        Fault(
            "body without its encoding",
            .ok(Data("plain".utf8), headers: [("Content-Encoding", "gzip")]), .undecodable),
    ]

    static let interim = ServerResponse.head(103, headers: flood(count: 1, size: 400))

    static func flood(count: Int, size: Int) -> [(String, String)] {
        (0..<count).map { ("X-\($0)", String(repeating: "a", count: size)) }
    }

    @Test(arguments: faults) func everyFaultHasItsError(_ fault: Fault) async throws {
        let server = try LoopbackServer { $0.path == "/good" ? .ok(Data("good".utf8)) : fault.response }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let failing = Recorder()
        _ = transport.start(request(server.url("/bad")), handler: failing)
        let error = try await failing.error()
        #expect(fault.expected.contains { $0.matches(error) }, "\(String(describing: error))")

        let good = Recorder()
        _ = transport.start(request(server.url("/good")), handler: good)
        _ = try await good.result().get()
        #expect(good.now.body == Data("good".utf8))
        #expect(await server.wait { $0.openConnections <= 1 })
    }

    @Test(
        "The same fault has the same error with libcurl 7.88, 8.14 and 8.23",
        arguments: [
            (56, "Illegal or missing hexadecimal sequence in chunked-encoding", Expected.malformed),
            (56, "chunk hex-length char not a hex digit: 0x7a", .malformed),
            (27, "", .headerTooLarge), (100, "", .headerTooLarge),
            (56, "Too large response headers: 307402 > 307200", .headerTooLarge),
            (56, "Recv failure: Connection reset by peer", .connectionLost),
            (43, "unable to set private key file: '(memory blob)' type PEM", .tls),
            (58, "unable to set private key file: '(memory blob)' type PEM", .tls),
        ])
    func codes(_ code: UInt32, _ text: String, _ expected: Expected) {
        let error = TransportError(
            CURLcode(rawValue: code), message: text, limits: TransportLimits(), host: "host",
            hasResponse: false)
        #expect(expected.matches(error), "\(error)")
    }

    @Test func surplusBytesAreNotDelivered() async throws {
        let server = try LoopbackServer { _ in .lying(Self.body, announcing: "1000") }
        defer { server.stop() }
        let handler = try await run(request(server.url()))
        #expect(throws: Never.self) { try handler.now.result?.get() }
        #expect(handler.now.body == Self.body.prefix(1000))
    }

    @Test func refusedConnectionFails() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        let url = server.url()
        server.stop()
        let error = try await run(request(url)).error()
        guard case .connect = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test func unresolvableNameFails() async throws {
        let transport = curlTransport { configuration in
            configuration.resolver = StubResolver { .failure(.resolve("no \($0)")) }
        }
        let url = try #require(URL(string: "http://nowhere.test/"))
        let error = try await run(request(url), on: transport).error()
        #expect(error == .resolve("no nowhere.test"))
    }

    @Test(arguments: ["file:///etc/hostname", "ftp://127.0.0.1/x", "http:///x", "relative"])
    func otherURLsAreRefused(_ text: String) async throws {
        let error = try await run(request(#require(URL(string: text)))).error()
        guard case .invalidRequest = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
    }

    @Test func callbacksRunOnTheTransportsThread() async throws {
        let server = try LoopbackServer { _ in .ok(Self.body) }
        defer { server.stop() }
        #expect(try await run(request(server.url())).now.threads == ["kf-transport"])
    }

    @Test func everyErrorHasItsURLError() {
        let codes: [(TransportError, URLError.Code)] = [
            (.cancelled, .cancelled), (.timedOut(.idle), .timedOut), (.tooSlow(MinimumRate()), .timedOut),
            (.invalidRequest(""), .badURL),
            (.constrained, .notConnectedToInternet),
            (.resolve(""), .cannotFindHost), (.connect(""), .cannotConnectToHost),
            (.addressRefused(""), .cannotConnectToHost), (.tls(""), .secureConnectionFailed),
            (.untrustedCertificate(.expired, ""), .serverCertificateHasBadDate),
            (.untrustedCertificate(.notYetValid, ""), .serverCertificateNotYetValid),
            (.untrustedCertificate(.unknownAuthority, ""), .serverCertificateHasUnknownRoot),
            (.untrustedCertificate(.selfSigned, ""), .serverCertificateUntrusted),
            (.untrustedCertificate(.wrongHost, ""), .serverCertificateUntrusted),
            (.untrustedCertificate(.other, ""), .serverCertificateUntrusted),
            (.clientCertificateRequired(""), .clientCertificateRequired),
            (.clientCertificateRejected(""), .clientCertificateRejected),
            (.connectionLost(""), .networkConnectionLost), (.truncated(""), .networkConnectionLost),
            (.bodyTooLarge(limit: 1), .dataLengthExceedsMaximum),
            (.headerTooLarge(limit: 1), .badServerResponse),
            (.malformed(""), .badServerResponse), (.undecodable(""), .cannotDecodeContentData),
            (.tooManyRedirects(limit: 5), .httpTooManyRedirects),
            (.redirectRefused(""), .redirectToNonExistentLocation), (.io(""), .unknown),
        ]
        for (error, code) in codes {
            #expect(error.urlError.code == code)
            #expect(error.urlError.userInfo[NSUnderlyingErrorKey] as? TransportError == error)
            #expect(error.urlError.userInfo[NSLocalizedDescriptionKey] as? String == error.message)
            #expect(error.urlError.networkUnavailableReason == (error == .constrained ? .constrained : nil))
        }
    }
}

extension FaultTests.Fault {
    init(_ name: String, _ response: ServerResponse, _ expected: FaultTests.Expected...) {
        self.init(testDescription: name, response: response, expected: expected)
    }
}

extension ServerResponse {
    func replacingLast(_ text: String) -> ServerResponse {
        ServerResponse(steps.dropLast() + [.send(Data(text.utf8)), .close])
    }
}
