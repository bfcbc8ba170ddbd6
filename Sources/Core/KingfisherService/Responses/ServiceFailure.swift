import Foundation

/// A kind of failure: its name in metrics, its status and its text. ``all`` is the table of them.
public struct ServiceFailureKind: Hashable, Sendable {
    /// For labels of metrics.
    public let name: String
    /// The status of the response.
    public let status: Int
    /// A sentence for the client, in which `@` is the name of the source.
    let text: String

    private init(_ name: String, _ status: Int, _ text: String) {
        (self.name, self.status, self.text) = (name, status, text)
    }

    /// A source that is no usable URL.
    public static let invalidSource = Self("invalid_source", 400, "The source is not a usable URL.")
    /// A path that no reader has.
    public static let noRoute = Self("no_route", 404, "Not found.")
    /// The source is 404 or 410.
    public static let sourceMissing = Self("source_missing", 404, "There is no such image at @.")
    /// A method other than GET and HEAD.
    public static let method = Self("method", 405, "The method is not allowed.")
    /// More bytes than the service reads.
    public static let sourceTooLarge = Self(
        "source_too_large", 413, "The source exceeds the size limit of this service.")
    /// A path of more than 8,192 bytes.
    public static let pathTooLong = Self("path_too_long", 414, "The path is too long.")
    /// A range beyond the end.
    public static let range = Self("range", 416, "The range is beyond the end of the image.")
    /// No image, a corrupt one, or one above the limits.
    public static let notAnImage = Self(
        "not_an_image", 422, "The source is not an image that can be processed.")
    /// No file with these options, such as `maximumBytes`.
    public static let cannotWrite = Self(
        "cannot_write", 422, "The image cannot be written with these options.")
    /// The service has no decoder of SVG, which draws text.
    public static let cannotDrawText = Self("cannot_draw_text", 422, "This service cannot draw text.")
    /// Too many requests of a client.
    public static let clientRate = Self("client_rate", 429, "Too many requests.")
    /// A header above the limits.
    public static let headersTooLarge = Self("headers_too_large", 431, "The header is too large.")
    /// The client has closed the connection; for the log only.
    public static let clientLeft = Self("client_left", 499, "The client closed the request.")
    /// A fault of the service.
    public static let unexpected = Self("unexpected", 500, "The request failed.")
    /// The source has refused the request, or has failed.
    public static let sourceStatus = Self("source_status", 502, "@ refused the request or failed.")
    /// No connection to the source, or its address is not allowed.
    public static let sourceUnreachable = Self("source_unreachable", 502, "@ cannot be reached.")
    /// The certificate or the protocol of the source.
    public static let sourceTLS = Self("source_tls", 502, "The TLS connection to @ failed.")
    /// A malformed response of the source.
    public static let sourceResponse = Self("source_response", 502, "The response of @ cannot be used.")
    /// The queue for memory is full.
    public static let overloaded = Self("overloaded", 503, "The service is overloaded; try again later.")
    /// The disk of the cache is full.
    public static let cacheFull = Self("cache_full", 503, "The service cannot store files; try again later.")
    /// The service ends.
    public static let stopping = Self("stopping", 503, "The service is stopping; try again later.")
    /// The source is too slow.
    public static let sourceTimeout = Self("source_timeout", 504, "@ is too slow.")
    /// The request has taken too long.
    public static let requestTimeout = Self("request_timeout", 504, "The request took too long.")

    /// The kinds, by status.
    public static let all = [
        invalidSource, noRoute, sourceMissing, method, sourceTooLarge, pathTooLong, range, notAnImage,
        cannotWrite, cannotDrawText, clientRate, headersTooLarge, clientLeft, unexpected, sourceStatus,
        sourceUnreachable, sourceTLS, sourceResponse, overloaded, cacheFull, stopping, sourceTimeout,
        requestTimeout,
    ]
}

/// Why a request has no result: an error for the client, and what its response needs besides.
public struct ServiceFailure: Error, Hashable, Sendable {
    /// What the client is told.
    public let error: ServiceError
    /// The name for labels of metrics; `refused` for errors of the URL.
    public let name: String
    /// In seconds, with the statuses 429 and 503.
    public var retryAfter: Double?
    /// For `Allow`, with the status 405.
    public var allowedMethods = ["GET", "HEAD"]

    /// A failure of a URL or of a source with its own text.
    public init(_ error: ServiceError) {
        self.error = error
        name = "refused"
    }

    /// A failure of a kind with its own text and status.
    init(_ error: ServiceError, named kind: ServiceFailureKind) {
        self.error = error
        name = kind.name
    }

    /// A failure of a kind, at `source`, whose name is in the text.
    public init(_ kind: ServiceFailureKind, at source: ServiceSource? = nil, retryAfter: Double? = nil) {
        let text = kind.text.replacing("@", with: Self.name(of: source))
        // A sentence begins with a capital letter, except with the name of a host.
        error = ServiceError(kind.status, text.hasPrefix("the ") ? "T" + text.dropFirst() : text)
        name = kind.name
        self.retryAfter = retryAfter
    }

    /// What an operator can read about it: the cause or the message, and which byte of the path is wrong.
    public var reason: String {
        (error.cause ?? error.message) + (error.offset.map { " (byte \($0))" } ?? "")
    }

    /// A host and nothing else of the source.
    private static func name(of source: ServiceSource?) -> String {
        switch source {
        case .http(let url): url.host ?? "the source"
        case .s3: "the bucket"
        case .local: "the folder"
        case .upload, nil: "the source"
        }
    }

    /// The value of `Retry-After`: at least 1, and longer by at most a tenth. `jitter` is in 0...1.
    func retryAfterSeconds(jitter: Double) -> Int? {
        guard [429, 503].contains(error.status) else { return nil }
        // A day bounds the conversion to an integer; comparisons with NaN are false.
        let wanted = retryAfter ?? 1
        let seconds = wanted >= 1 ? min(wanted, 86_400).rounded(.up) : 1
        let part = jitter > 0 ? min(jitter, 1) : 0
        return Int(seconds + (seconds * 0.1 * part).rounded())
    }
}
