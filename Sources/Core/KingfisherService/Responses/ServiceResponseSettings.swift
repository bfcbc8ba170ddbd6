/// Settings that decide header fields of responses.
public struct ServiceResponseSettings: Hashable, Sendable {
    /// How long clients may use a result.
    public enum Lifetime: Hashable, Sendable {
        /// This many seconds.
        case seconds(Int)
        /// As long as the source is fresh.
        case source
    }

    /// The formats that are offered to clients.
    public var negotiation: FormatNegotiation
    /// How long clients may use a result.
    public var lifetime = Lifetime.seconds(86_400)
    /// The lifetime in seconds with ``Lifetime/source``, if nothing is known about the source's.
    public var sourceDefaultLifetime = 86_400
    /// In seconds; 0 for no such directive (RFC 5861).
    public var staleWhileRevalidate = 86_400
    /// In seconds; 0 for no such directive (RFC 5861).
    public var staleIfError = 604_800
    /// The lifetime of fallback images in seconds.
    public var fallbackLifetime = 60
    /// The value of `Access-Control-Allow-Origin`; nil for no field.
    public var allowedOrigin: String?
    /// The value of `Timing-Allow-Origin`; nil for no field.
    public var timingAllowedOrigin: String?
    /// Whether errors name the character of the URL that is wrong.
    public var isDevelopment = false

    /// Creates settings with the default lifetimes.
    public init(negotiation: FormatNegotiation) { self.negotiation = negotiation }
}
