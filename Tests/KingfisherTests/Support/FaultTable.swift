import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// A server fault and the outcome that the downloader must report.
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
    /// A second possible outcome, where the kernels of both sides race.
    var otherOutcome: Outcome?
    /// Sent on every connection before a request is read.
    var greeting = ServerResponse([])
    /// Whether the response is complete, so that its connection serves the next request.
    var keepsConnection = false
    /// The idle timeout and the total timeout of the downloader, in seconds; its defaults if nil.
    var silence: TimeInterval?
    var total: TimeInterval?
    /// The body limit of the downloader, in bytes; its default if nil.
    var maxBody: Int?
    /// The response to every request, for a server that has the image.
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

    /// The longest duration of a fault; the default timeouts of the downloader are 15 and 60 seconds.
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
        Fault("body shorter than Content-Length", .transfer(.networkConnectionLost)) { _, image in
            .lying(image, announcing: "\(image.count + 100)")
        },
        Fault("body longer than Content-Length", .noImage, keepsConnection: true) { _, image in
            .lying(image, announcing: "\(image.count / 2)")
        },
        Fault("Content-Length of Int64.max", .transfer(.dataLengthExceedsMaximum)) { _, image in
            .lying(image, announcing: "9223372036854775807")
        },
        Fault(
            "Content-Length of Int64.max without a body limit", .transfer(.networkConnectionLost),
            maxBody: .max
        ) {
            _, image in .lying(image, announcing: "9223372036854775807")
        },
        Fault("Content-Length of 8 EB without a body limit", .transfer(.networkConnectionLost), maxBody: .max)
        {
            _, image in .lying(image, announcing: "8000000000000000000")
        },
        Fault("complete body without a body limit", .image, keepsConnection: true, maxBody: .max) {
            _, image in .ok(image)
        },
        Fault("Content-Length above Int64.max", .transfer(.badServerResponse)) { _, image in
            .lying(image, announcing: "9223372036854775808")
        },
        Fault("negative Content-Length", .transfer(.badServerResponse)) { _, image in
            .lying(image, announcing: "-1")
        },
        Fault("Content-Length without a number", .transfer(.badServerResponse)) { _, image in
            .lying(image, announcing: "much")
        },
        Fault("two values of Content-Length", .transfer(.badServerResponse)) { _, image in
            .ok(image, headers: [("Content-Length", "7")])
        },
        Fault("chunks without a last chunk", .transfer(.networkConnectionLost)) { _, image in
            .truncatedChunks([image])
        },
        Fault("a chunk without a size", .transfer(.badServerResponse)) { _, image in
            let head = ServerResponse.head(200, headers: [("Transfer-Encoding", "chunked")])
            return ServerResponse([.send(head), .send(Data("zz\r\n".utf8)), .close])
        },
    ]

    private static let bodies = [
        Fault("corrupt image", .noImage, keepsConnection: true) { _, image in
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
                Data("<!DOCTYPE html><title>PlaceholderView in</title>".utf8),
                headers: [("Content-Type", "image/jpeg")])
        },
    ]

    private static let encodings = [
        Fault("gzip", .image, keepsConnection: true) { _, image in .gzipped(image) },
        Fault("gzip in gzip", .image, keepsConnection: true) { _, image in .gzipped(image, times: 2) },
        Fault("invalid gzip", .transfer(.cannotDecodeContentData)) { _, image in
            .ok(image, headers: [("Content-Encoding", "gzip")])
        },
        // libcurl accepts a truncated stream as complete; the image decoder does not.
        Fault("truncated gzip", .noImage, keepsConnection: true) { _, image in
            let packed = Gzip.packed(image)
            return .ok(packed.prefix(packed.count / 2), headers: [("Content-Encoding", "gzip")])
        },
        // The whole body may arrive before its decompressed length exceeds the limit.
        Fault("65 MB in gzip", .transfer(.dataLengthExceedsMaximum), keepsConnection: true) { _, _ in
            .ok(bombs.small, headers: [("Content-Encoding", "gzip")])
        },
        Fault("300 MB in gzip", .transfer(.dataLengthExceedsMaximum), keepsConnection: true) { _, _ in
            .ok(bombs.large, headers: [("Content-Encoding", "gzip")])
        },
        Fault("300 MB in gzip in gzip", .transfer(.dataLengthExceedsMaximum), keepsConnection: true) { _, _ in
            .ok(Gzip.packed(bombs.large), headers: [("Content-Encoding", "gzip, gzip")])
        },
        Fault("an unknown encoding", .image, keepsConnection: true) { _, image in
            .ok(image, headers: [("Content-Encoding", "rot13")])
        },
        Fault("an encoding that is not supported", .transfer(.cannotDecodeContentData)) { _, image in
            .ok(image, headers: [("Content-Encoding", "zstd")])
        },
    ]

    /// The downloader accepts at most 64 MB.
    private static let bombs = (small: Gzip.zeros(65 << 20), large: Gzip.zeros(300 << 20))

    private static let heads = [
        Fault("not HTTP", .transfer(.badServerResponse)) { _, _ in .raw("hello?\r\n\r\n") },
        Fault("a status without a number", .transfer(.badServerResponse)) { _, _ in
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
        Fault("informational responses without end", .transfer(.badServerResponse)) { _, _ in
            let hints = ServerResponse.head(103, headers: [("X-Long", String(repeating: "a", count: 400))])
            return ServerResponse(Array(repeating: .send(hints), count: 3_000))
        },
    ]

    private static let pace = [
        Fault("idle before the head", .transfer(.timedOut), silence: 0.3) { _, _ in
            ServerResponse([.hang])
        },
        Fault("idle in the body", .transfer(.timedOut), silence: 0.3) { _, image in
            .partial(image.prefix(64), of: image.count, then: .hang)
        },
        Fault("a head sent byte by byte", .transfer(.timedOut), silence: 0.3) { _, image in
            ServerResponse([.drip(ServerResponse.head(200), piece: 1, every: .milliseconds(40)), .hang])
        },
        Fault("a head without end", .transfer(.timedOut), total: 0.5) { _, _ in
            let lines = (0..<2_000).map { ("X-\($0)", "a") }
            return ServerResponse([
                .drip(ServerResponse.head(200, headers: lines), piece: 12, every: .milliseconds(10))
            ])
        },
        Fault("a slow body without end", .transfer(.timedOut), total: 0.5) { _, image in
            .ok(image).dripping(1, every: .milliseconds(20))
        },
        Fault("a slow body within the timeout", .image, keepsConnection: true, silence: 3) { _, image in
            .ok(image).dripping(image.count / 20, every: .milliseconds(20))
        },
    ]

    private static let redirects = [
        Fault("redirect loop", .transfer(.httpTooManyRedirects), keepsConnection: true) { _, _ in
            .redirect(to: "/loop")
        },
        Fault("redirect to a relative URL", .image, keepsConnection: true) { request, image in
            switch request.path {
            case "/folder/place": .ok(image)
            case "/folder/image.jpg": .redirect(to: "place")
            default: .redirect(to: "/folder/image.jpg")
            }
        },
        redirect(to: "file:///etc/passwd"), redirect(to: "ftp://127.0.0.1/image.jpg"),
        redirect(to: "data:image/png;base64,AAAA"), redirect(to: "http:///image.jpg"),
        Fault("redirect without a location", .noImage, keepsConnection: true) { _, _ in .status(302) },
        Fault("redirect to a server that closes the connection", .transfer(.networkConnectionLost)) {
            request, _ in
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
        Fault("Basic credentials required", .status, keepsConnection: true) { _, _ in
            .status(401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")], body: Data("no".utf8))
        },
        Fault("Digest credentials required", .status, keepsConnection: true) { _, _ in
            let challenge = "Digest realm=\"x\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"
            return .status(401, headers: [("WWW-Authenticate", challenge)], body: Data("no".utf8))
        },
        Fault("proxy credentials required", .status) { _, _ in
            .status(407, headers: [("Proxy-Authenticate", "Basic realm=\"x\"")])
        },
    ]
}
