public import Foundation

/// What a download took; durations in seconds.
public struct NetworkMetrics: Sendable {
    /// From the request to the image in hand, decoding included; set by the manager.
    public let retrieveImageDuration: TimeInterval?
    /// From sending the request to its last byte, redirects included.
    public let totalRequestDuration: TimeInterval
    /// Looking up the host's address; nil when that was known.
    public let domainLookupDuration: TimeInterval?
    /// Opening the connection; nil when one was reused.
    public let connectDuration: TimeInterval?
    /// The TLS handshake; nil without one.
    public let secureConnectionDuration: TimeInterval?
    /// Bytes of the request's body.
    public let requestBodyBytesSent: Int64
    /// Bytes of the response's body as they came over the wire.
    public let responseBodyBytesReceived: Int64
    /// The last status.
    public let httpStatusCode: Int?
    /// Redirects followed.
    public let redirectCount: Int

    /// Bytes per second over the whole request; nil for a request that took no time.
    public var downloadSpeed: Double? {
        totalRequestDuration > 0 ? Double(responseBodyBytesReceived) / totalRequestDuration : nil
    }

    /// Megabytes (1,048,576 bytes) per second over the whole request.
    public var downloadSpeedMBps: Double? {
        downloadSpeed.map { $0 / (1024 * 1024) }
    }
}
