import Foundation
import FoundationNetworking
import KingfisherTransport

extension KingfisherError {
    /// A download of `url` that was not begun, because the network is metered.
    static func constrained(_ url: URL) -> KingfisherError {
        .responseError(reason: .URLSessionError(error: TransportError.constrained.reportedError(for: url)))
    }

    /// Whether the network was there but the request was not to use it.
    var isConstrained: Bool {
        guard case .responseError(.URLSessionError(let error as URLError)) = self else { return false }
        return error.networkUnavailableReason == .constrained
    }
}
