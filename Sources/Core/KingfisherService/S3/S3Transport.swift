import Foundation
import FoundationNetworking
import Kingfisher

/// Signs requests for objects at the moment they are sent, and turns refusals into errors with a cause.
///
/// Above it, a request is the plain URL of an object: equal requests share a transfer, and a response is not
/// private to the caller, because the credentials are those of the operator. Requests for other servers than
/// the endpoint fail unsent, and no redirect reaches the code that would follow it.
final class S3Transport: Transport {
    private let base: any Transport
    private let endpoint: S3Endpoint
    private let credentials: S3Credentials
    /// In seconds since 1970.
    private let now: @Sendable () -> Int

    init(
        _ base: any Transport, endpoint: S3Endpoint, credentials: S3Credentials,
        now: @escaping @Sendable () -> Int
    ) {
        self.base = base
        self.endpoint = endpoint
        self.credentials = credentials
        self.now = now
    }

    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        var request = request
        request.urlRequest = signed(request.urlRequest)
        return base.start(request, handler: S3Responses(handler, region: endpoint.region, now: now))
    }

    func invalidate() { base.invalidate() }

    /// Without a URL, which no transport sends, if the request must not be signed.
    private func signed(_ request: URLRequest) -> URLRequest {
        var signed = request
        guard request.httpMethod ?? "GET" == "GET", request.httpBody == nil, let url = request.url,
            let location = S3Location(url, at: endpoint),
            let values = S3Request(location, region: endpoint.region, credentials: credentials, now: now())
        else {
            signed.url = nil
            return signed
        }
        signed.url = values.url
        signed.setValue(nil, forHTTPHeaderField: "Host")
        for (name, value) in values.fields { signed.setValue(value, forHTTPHeaderField: name) }
        return signed
    }
}
