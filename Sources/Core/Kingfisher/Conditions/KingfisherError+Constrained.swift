import Foundation
import FoundationNetworking
import KingfisherTransport

extension KingfisherError {
    static func constrained(_ url: URL) -> KingfisherError {
        .responseError(reason: .URLSessionError(error: TransportError.constrained.reportedError(for: url)))
    }

    var isConstrained: Bool {
        guard case .responseError(.URLSessionError(let error as URLError)) = self else { return false }
        return error.networkUnavailableReason == .constrained
    }
}
