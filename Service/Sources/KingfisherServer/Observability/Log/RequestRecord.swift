import Foundation
public import KingfisherService

/// The reader or the part of the server that has answered a request.
public enum RequestRoute: String, CaseIterable, Sendable {
    /// A signed URL of this service.
    case native
    /// A URL of imgproxy.
    case imgproxy
    /// A URL of thumbor or imagor.
    case thumbor
    /// Facts about an image.
    case info
    /// An image in the body of a POST.
    case upload
    /// Metrics, health, readiness and purges.
    case admin
    /// No reader has this path.
    case none
}

/// What the log and the metrics state about a request that has ended.
///
/// There is no URL, and of a source only its host. Values are escaped where they are written.
public struct RequestRecord: Sendable {
    /// The method as the client has sent it.
    public var method: String
    /// Who has answered.
    public var route = RequestRoute.none
    /// The status of the response; 499 if the client left before it.
    public var status: Int
    /// The bytes of the body that were sent.
    public var bytes = 0
    /// From the head of the request to the end of its response.
    public var duration = Duration.zero
    /// Where the result was found; nil if there is none.
    public var cache: ServiceTiming.Cache?
    /// The name of the source; nil if the URL was not read.
    public var source: String?
    /// The identifier of the request (`ServiceRequestID`).
    public var requestID: String?
    /// The identifier of the trace to which the request belongs.
    public var traceID: String?
    /// `ServiceFailure.name`; nil if the request succeeded.
    public var failure: String?
    /// `ServiceFailure.reason`; the log has its first 200 bytes.
    public var reason: String?
    /// The signature of a request that is refused because of it. The log has its first 6 characters.
    public var signature: String?

    /// Creates a record, to be completed.
    public init(method: String, status: Int) { (self.method, self.status) = (method, status) }
}

extension ServiceSource {
    /// What the log states about a source: a host, a bucket, `local` or `upload`, and nothing of its path.
    public var logName: String {
        switch self {
        case .http(let url): url.host() ?? "http"
        case .s3(let bucket, _, _): "s3:\(bucket)"
        case .local: "local"
        case .upload: "upload"
        }
    }
}
