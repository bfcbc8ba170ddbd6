import Foundation
import FoundationNetworking
import KingfisherTransport

extension KingfisherError {
    /// A download that was not begun, because the network is metered.
    static var constrained: KingfisherError {
        .responseError(reason: .URLSessionError(error: TransportError.constrained.urlError))
    }

    /// Whether the network was there but the request was not to use it.
    var isConstrained: Bool {
        guard case .responseError(.URLSessionError(let error as URLError)) = self else { return false }
        return error.networkUnavailableReason == .constrained
    }
}
