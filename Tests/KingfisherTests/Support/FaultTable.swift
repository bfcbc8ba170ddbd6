import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// One way in which a server behaves, and what the downloader makes of it.
struct Fault: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Equatable {
        case image
        /// The reason of a `KingfisherError`, and the code of the `URLError` in it.
        case failure(_ reason: String, URLError.Code? = nil)

        static func transfer(_ code: URLError.Code) -> Outcome { .failure("URLSessionError", code) }
        static let noImage = Outcome.failure("processingFailed")
        static let status = Outcome.failure("invalidHTTPStatusCode")
    }

    let testDescription: String
    let outcome: Outcome
    /// What it may come to as well, where the kernels on both sides race.
    var otherOutcome: Outcome?
    /// Played on every connection before a request is read.
    var greeting = ServerResponse([])
    /// Whether the answer is whole, so that its connection serves the next request.
    var keepsConnection = false
    /// The longest silence and the longest transfer that the downloader allows, in seconds; its own where
    /// nil.
    var silence: TimeInterval?
    var total: TimeInterval?
    /// The largest body that the downloader takes, in bytes; its own limit where nil.
    var maxBody: Int?
    /// Answers a request for anything, of a server that has the image.
    let answer: @Sendable (_ request: ServerRequest, _ image: Data) -> ServerResponse

    init(
        _ name: String, _ outcome: Outcome, or otherOutcome: Outcome? = nil,
        greeting: ServerResponse = ServerResponse([]), keepsConnection: Bool = false,
        silence: TimeInterval? = nil, total: TimeInterval? = nil, maxBody: Int? = nil,
        _ answer: @escaping @Sendable (_ request: ServerRequest, _ image: Data) -> ServerResponse
    ) {
        testDescription = name
        self.outcome = outcome
        self.otherOutcome = otherOutcome
        self.greeting = greeting
        self.keepsConnection = keepsConnection
        self.silence = silence
        self.total = total
        self.maxBody = maxBody
        self.answer = answer
    }

    /// No fault takes longer than this; the downloader's own timeouts are 15 and 60 seconds.
    static let bound = Duration.seconds(12)

    static let table = resets + lengths + bodies + encodings + heads + pace + redirects + statuses
}

extension Fault {
    private static let resets = [
        Fault(
            "reset on accept", .transfer(.networkConnectionLost), or: .transfer(.cannotConnectToHost),
            greeting: ServerResponse([.reset])
        ) { _, _ in .status(200) },
        Fault("closed on accept", .transfer(.networkConnectionLost), greeting: ServerResponse([.close])) {
            _, _ in .status(200)
        },
        Fault("reset after the request", .transfer(.networkConnectionLost)) { _, _ in
            ServerResponse([.reset])
        },
        Fault("reset in the head", .transfer(.networkConnectionLost)) { _, _ in
            ServerResponse([.send(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8)), .reset])
        },
        Fault("reset between head and body", .transfer(.networkConnectionLost)) { _, image in
            .partial(Data(), of: image.count, then: .reset)
        },
        Fault("reset in the body", .transfer(.networkConnectionLost)) { _, image in
            .partial(image.prefix(64), of: image.count, then: .reset)
        },
        Fault("reset in a chunk", .transfer(.networkConnectionLost)) { _, image in
            let head = ServerResponse.head(200, headers: [("Transfer-Encoding", "chunked")])
            return ServerResponse([.send(head), .send(Data("1000\r\n".utf8) + image.prefix(64)), .reset])
        },
    ]

    private static let lengths = [
        Fault("shorter than announced", .transfer(.networkConnectionLost)) { _, image in
            .lying(image, announcing: "\(image.count + 100)")
        },
        Fault("longer than announced", .noImage, keepsConnection: true) { _, image in
            .lying(image, announcing: "\(image.count / 2)")
        },
        Fault("announces Int64.max", .transfer(.dataLengthExceedsMaximum)) { _, image in
            .lying(image, announcing: "9223372036854775807")
        },
        Fault(
            "announces Int64.max, and no body is too large", .transfer(.networkConnectionLost), maxBody: .max
        ) {
            _, image in .lying(image, announcing: "9223372036854775807")
        },
        Fault("announces 8 EB, and no body is too large", .transfer(.networkConnectionLost), maxBody: .max) {
            _, image in .lying(image, announcing: "8000000000000000000")
        },
        Fault("whole, and no body is too large", .image, keepsConnection: true, maxBody: .max) {
            _, image in .ok(image)
        },
        Fault("announces more than Int64.max", .transfer(.badServerResponse)) { _, image in
            .lying(image, announcing: "9223372036854775808")
        },
        Fault("announces less than nothing", .transfer(.badServerResponse)) { _, image in
            .lying(image, announcing: "-1")
        },
        Fault("announces no number", .transfer(.badServerResponse)) { _, image in
            .lying(image, announcing: "much")
        },
        Fault("announces two lengths", .transfer(.badServerResponse)) { _, image in
            .ok(image, headers: [("Content-Length", "7")])
        },
        Fault("chunks without an end", .transfer(.networkConnectionLost)) { _, image in
            .truncatedChunks([image])
        },
        Fault("a chunk without a size", .transfer(.badServerResponse)) { _, image in
            let head = ServerResponse.head(200, headers: [("Transfer-Encoding", "chunked")])
            return ServerResponse([.send(head), .send(Data("zz\r\n".utf8)), .close])
        },
    ]

    private static let bodies = [
        Fault("broken image", .noImage, keepsConnection: true) { _, image in
            // Noise in the middle of the entropy-coded data.
            var bytes = [UInt8](image)
            for index in bytes.count / 2..<bytes.count / 2 + 400 { bytes[index] = 0xFF }
            return .ok(Data(bytes))
        },
        Fault("half an image", .noImage, keepsConnection: true) { _, image in
            .ok(image.prefix(image.count / 2))
        },
        Fault("empty", .noImage, keepsConnection: true) { _, _ in .ok(Data()) },
        Fault("HTML", .noImage, keepsConnection: true) { _, _ in
            .ok(
                Data("<!DOCTYPE html><title>Sign in</title>".utf8), headers: [("Content-Type", "image/jpeg")])
        },
    ]

    private static let encodings = [
        Fault("gzip", .image, keepsConnection: true) { _, image in .gzipped(image) },
        Fault("gzip in gzip", .image, keepsConnection: true) { _, image in .gzipped(image, times: 2) },
        Fault("no gzip", .transfer(.cannotDecodeContentData)) { _, image in
            .ok(image, headers: [("Content-Encoding", "gzip")])
        },
        // libcurl takes a stream that breaks off for complete; the decoder of the image does not.
        Fault("half a gzip", .noImage, keepsConnection: true) { _, image in
            let packed = Gzip.packed(image)
            return .ok(packed.prefix(packed.count / 2), headers: [("Content-Encoding", "gzip")])
        },
        // They may have come whole before they turn out to be too long.
        Fault("65 MB in gzip", .transfer(.dataLengthExceedsMaximum), keepsConnection: true) { _, _ in
            .ok(bombs.small, headers: [("Content-Encoding", "gzip")])
        },
        Fault("300 MB in gzip", .transfer(.dataLengthExceedsMaximum), keepsConnection: true) { _, _ in
            .ok(bombs.large, headers: [("Content-Encoding", "gzip")])
        },
        Fault("300 MB in gzip in gzip", .transfer(.dataLengthExceedsMaximum), keepsConnection: true) { _, _ in
            .ok(Gzip.packed(bombs.large), headers: [("Content-Encoding", "gzip, gzip")])
        },
        Fault("an unknown encoding", .transfer(.cannotDecodeContentData)) { _, image in
            .ok(image, headers: [("Content-Encoding", "rot13")])
        },
    ]

    /// Beyond 64 MB nothing is taken.
    private static let bombs = (small: Gzip.zeros(65 << 20), large: Gzip.zeros(300 << 20))

    private static let heads = [
        Fault("not HTTP", .transfer(.badServerResponse)) { _, _ in .raw("hello?\r\n\r\n") },
        Fault("a status that is no number", .transfer(.badServerResponse)) { _, _ in
            .raw("HTTP/1.1 abc Fine\r\n\r\n")
        },
        Fault("a head of 5,000 lines", .transfer(.badServerResponse)) { _, image in
            let lines = (0..<5_000).map { ("X-\($0)", String(repeating: "a", count: 100)) }
            return .ok(image, headers: lines)
        },
        Fault("a line of 900 KB", .transfer(.badServerResponse)) { _, image in
            .ok(image, headers: [("X-Long", String(repeating: "a", count: 900_000))])
        },
        Fault("103 Early Hints", .image, keepsConnection: true) { _, image in
            let hints = ServerResponse.head(103, headers: [("Link", "</style.css>; rel=preload")])
            return ServerResponse([.send(hints), .send(hints)] + ServerResponse.ok(image).steps)
        },
        Fault("hints without end", .transfer(.badServerResponse)) { _, _ in
            let hints = ServerResponse.head(103, headers: [("X-Long", String(repeating: "a", count: 400))])
            return ServerResponse(Array(repeating: .send(hints), count: 3_000))
        },
    ]

    private static let pace = [
        Fault("silent before the head", .transfer(.timedOut), silence: 0.3) { _, _ in
            ServerResponse([.hang])
        },
        Fault("silent in the body", .transfer(.timedOut), silence: 0.3) { _, image in
            .partial(image.prefix(64), of: image.count, then: .hang)
        },
        Fault("a head that comes byte by byte", .transfer(.timedOut), silence: 0.3) { _, image in
            ServerResponse([.drip(ServerResponse.head(200), piece: 1, every: .milliseconds(40)), .hang])
        },
        Fault("a head without end", .transfer(.timedOut), total: 0.5) { _, _ in
            let lines = (0..<2_000).map { ("X-\($0)", "a") }
            return ServerResponse([
                .drip(ServerResponse.head(200, headers: lines), piece: 12, every: .milliseconds(10))
            ])
        },
        Fault("a body that drips without end", .transfer(.timedOut), total: 0.5) { _, image in
            .ok(image).dripping(1, every: .milliseconds(20))
        },
        Fault("a body that drips in time", .image, keepsConnection: true, silence: 3) { _, image in
            .ok(image).dripping(image.count / 20, every: .milliseconds(20))
        },
    ]

    private static let redirects = [
        Fault("redirect loop", .transfer(.httpTooManyRedirects), keepsConnection: true) { _, _ in
            .redirect(to: "/loop")
        },
        Fault("redirect to a relative place", .image, keepsConnection: true) { request, image in
            switch request.path {
            case "/folder/place": .ok(image)
            case "/folder/image.jpg": .redirect(to: "place")
            default: .redirect(to: "/folder/image.jpg")
            }
        },
        redirect(to: "file:///etc/passwd"), redirect(to: "ftp://127.0.0.1/image.jpg"),
        redirect(to: "data:image/png;base64,AAAA"), redirect(to: "http:///image.jpg"),
        Fault("redirect without a place", .noImage, keepsConnection: true) { _, _ in .status(302) },
        Fault("redirect to who hangs up", .transfer(.networkConnectionLost)) { request, _ in
            request.path == "/next" ? ServerResponse([.reset]) : .redirect(to: "/next")
        },
    ]

    private static func redirect(to place: String) -> Fault {
        Fault("redirect to \(place)", .transfer(.redirectToNonExistentLocation), keepsConnection: true) {
            _, _ in
            .redirect(to: place)
        }
    }

    private static let statuses = [
        Fault("404", .status) { _, image in .status(404, body: image) },
        Fault("500", .status) { _, image in .status(500, body: image) },
        Fault("Basic credentials wanted", .status, keepsConnection: true) { _, _ in
            .status(401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")], body: Data("no".utf8))
        },
        Fault("Digest credentials wanted", .status, keepsConnection: true) { _, _ in
            let challenge = "Digest realm=\"x\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"
            return .status(401, headers: [("WWW-Authenticate", challenge)], body: Data("no".utf8))
        },
        Fault("a proxy's credentials wanted", .status) { _, _ in
            .status(407, headers: [("Proxy-Authenticate", "Basic realm=\"x\"")])
        },
    ]
}
