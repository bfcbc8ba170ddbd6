import Foundation
import FoundationNetworking
import KingfisherTransport

extension KingfisherError {
    /// What the failure of a download says about the server.
    var freshnessFailure: HTTPFreshness.Failure {
        switch self {
        case .responseError(.invalidHTTPStatusCode(let response)):
            .init(status: response.statusCode)
        case .responseError(.URLSessionError(let error)), .resourceError(.tooSlow(let error)):
            .init(
                (error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? TransportError
                    ?? .foreign(ForeignError(error)))
        default: .other
        }
    }

    /// Whether the server has nothing under the URL any more.
    var saysGone: Bool {
        guard case .responseError(.invalidHTTPStatusCode(let response)) = self else { return false }
        return [404, 410].contains(response.statusCode)
    }
}
