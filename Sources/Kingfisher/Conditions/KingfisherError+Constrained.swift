import Foundation
import FoundationNetworking
import KingfisherTransport

extension KingfisherError {
    /// The error of a download of `url` that was not started because the network is metered.
    static func constrained(_ url: URL) -> KingfisherError {
        .responseError(reason: .URLSessionError(error: TransportError.constrained.reportedError(for: url)))
    }

    /// Whether the network was available but not allowed for the request.
    var isConstrained: Bool {
        guard case .responseError(.URLSessionError(let error as URLError)) = self else { return false }
        return error.networkUnavailableReason == .constrained
    }
}
