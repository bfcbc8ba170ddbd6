public import Foundation
import KingfisherTransport

/// The metrics of a download. Durations are wall time in seconds.
public struct NetworkMetrics: Sendable {
    /// From the request to the decoded image; set by the manager.
    public let retrieveImageDuration: TimeInterval?
    /// From sending the request to its last byte, redirects included.
    public let totalRequestDuration: TimeInterval
    /// The DNS lookup; nil if the address was known.
    public let domainLookupDuration: TimeInterval?
    /// Opening the connection; nil if one was reused.
    public let connectDuration: TimeInterval?
    /// The TLS handshake; nil without one.
    public let secureConnectionDuration: TimeInterval?
    /// Bytes of the request's body.
    public let requestBodyBytesSent: Int64
    /// Bytes of the response's body as sent over the network, before decompression.
    public let responseBodyBytesReceived: Int64
    /// The status code of the final response.
    public let httpStatusCode: Int?
    /// The number of redirects that were followed.
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

extension NetworkMetrics {
    init(_ metrics: TransportMetrics, status: Int) {
        retrieveImageDuration = nil
        totalRequestDuration = metrics.total
        domainLookupDuration = metrics.dns > 0 ? metrics.dns : nil
        connectDuration = metrics.reusedConnection ? nil : metrics.connect
        secureConnectionDuration = metrics.tls > 0 ? metrics.tls : nil
        requestBodyBytesSent = metrics.bytesSent
        responseBodyBytesReceived = metrics.bytesReceived
        httpStatusCode = status
        redirectCount = metrics.redirectCount
    }

    init(_ metrics: NetworkMetrics, retrieveImageDuration: TimeInterval) {
        self.retrieveImageDuration = retrieveImageDuration
        totalRequestDuration = metrics.totalRequestDuration
        domainLookupDuration = metrics.domainLookupDuration
        connectDuration = metrics.connectDuration
        secureConnectionDuration = metrics.secureConnectionDuration
        requestBodyBytesSent = metrics.requestBodyBytesSent
        responseBodyBytesReceived = metrics.responseBodyBytesReceived
        httpStatusCode = metrics.httpStatusCode
        redirectCount = metrics.redirectCount
    }
}
