public import Foundation
public import FoundationNetworking

/// The user-info key of a `URLError.NetworkUnavailableReason`'s raw value, as Foundation on Apple's systems has it.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"

extension URLError {
    /// Why a request was not allowed to use the network that is there.
    ///
    /// Foundation on Linux lacks the type; names and raw values are those of Apple's.
    public enum NetworkUnavailableReason: Int, Sendable {
        case cellular = 0
        case expensive = 1
        /// Low Data Mode; here: the network is metered.
        case constrained = 2
    }

    /// Why the request was not allowed to use the network; nil when that was not the reason to fail.
    public var networkUnavailableReason: NetworkUnavailableReason? {
        (errorUserInfo[NSURLErrorNetworkUnavailableReasonKey] as? Int)
            .flatMap(NetworkUnavailableReason.init(rawValue:))
    }
}

extension KingfisherError {
    /// A download that was not begun, because the network is metered.
    static func constrained(_ url: URL) -> KingfisherError {
        let error = URLError(
            .notConnectedToInternet,
            userInfo: [
                NSURLErrorNetworkUnavailableReasonKey: URLError.NetworkUnavailableReason.constrained.rawValue,
                NSURLErrorFailingURLErrorKey: url,
                NSLocalizedDescriptionKey: "The network is metered.",
            ])
        return .responseError(reason: .URLSessionError(error: error))
    }

    /// Whether the network was there but the request was not to use it.
    var isConstrained: Bool {
        guard case .responseError(.URLSessionError(let error as URLError)) = self else { return false }
        return error.networkUnavailableReason == .constrained
    }
}
