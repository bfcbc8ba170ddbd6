/// What a response depends on besides its result.
public struct ServiceResponseContext: Sendable {
    /// Nil if the URL could not be read.
    public var request: ServiceRequest?
    /// The path as received, for messages of the development mode.
    public var path = ""
    /// The `Accept` field of the client.
    public var accept = AcceptHeader([])
    /// ``ServiceRequestID/choose(_:otherwise:)``.
    public var requestID: String?
    /// The durations of the response.
    public var timing = ServiceTiming()
    /// In seconds since 1970.
    public var now: Int
    /// A random number in 0...1, which lengthens `Retry-After` by up to a tenth.
    public var jitter = 0.0

    /// Creates a context of a request that was received at a time.
    public init(_ request: ServiceRequest? = nil, now: Int) {
        self.request = request
        self.now = now
    }
}

/// The identifier of a request in logs.
public enum ServiceRequestID {
    /// The client's `X-Request-ID` if it has 1 to 64 letters, digits, `.`, `_` and `-`, otherwise the
    /// generated one.
    public static func choose(_ received: String?, otherwise generated: String) -> String {
        if let received, HeaderText.isShortName(received) { received } else { generated }
    }
}

/// Durations for `Server-Timing` (W3C Server Timing).
public struct ServiceTiming: Hashable, Sendable {
    /// Where the result was found.
    public enum Cache: String, Hashable, Sendable {
        /// In memory.
        case memory
        /// On disk.
        case disk
        /// In a tier.
        case shared
        /// Nowhere: it was made.
        case miss
    }

    /// Where the result was found; nil if it was not looked for.
    public var cache: Cache?
    /// How long the source took.
    public var download: Duration?
    /// How long decoding, processing and encoding took.
    public var build: Duration?
    /// How long the whole request took.
    public var total: Duration?

    /// Creates a value in which nothing was measured.
    public init() {}

    /// The value of the field, with milliseconds; nil if nothing was measured.
    var field: String? {
        var metrics = cache.map { ["cache;desc=\($0.rawValue)"] } ?? []
        for (name, duration) in [("download", download), ("build", build), ("total", total)] {
            if let duration { metrics.append("\(name);dur=\(Self.milliseconds(duration))") }
        }
        return metrics.isEmpty ? nil : metrics.joined(separator: ", ")
    }

    /// Rounded down to tenths; 0.0 for a negative duration.
    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        // A day bounds the product.
        let tenths = min(max(seconds, 0), 86_400) * 10_000 + max(attoseconds, 0) / 100_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// Facts about a file that a response delivers.
public struct ServiceResult: Hashable, Sendable {
    /// What a file is for its request.
    public enum Kind: Hashable, Sendable {
        /// What the URL asks for.
        case final
        /// Another format, until the requested one is encoded.
        case interim
        /// The fallback image instead of a source that failed.
        case fallback
    }

    /// What the file is for the request.
    public var kind: Kind
    /// `Last-Modified` of the source in seconds since 1970.
    public var lastModified: Int?
    /// How long the source is still fresh, in seconds; nil if it does not say.
    public var sourceLifetime: Int?

    /// Creates facts, by default about a final result of a source that says nothing.
    public init(_ kind: Kind = .final, lastModified: Int? = nil, sourceLifetime: Int? = nil) {
        self.kind = kind
        self.lastModified = lastModified
        self.sourceLifetime = sourceLifetime
    }
}
