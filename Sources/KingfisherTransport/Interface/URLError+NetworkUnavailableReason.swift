public import Foundation
import FoundationNetworking

/// The user-info key of a `URLError.NetworkUnavailableReason`'s raw value, as Foundation on Apple's systems
/// has it.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"

extension URLError {
    /// Why a request was not allowed to use the network that is there.
    ///
    /// Foundation on Linux lacks the type; names and raw values are Apple's.
    public enum NetworkUnavailableReason: Int, Sendable {
        case cellular = 0
        case expensive = 1
        /// Low Data Mode; here: the network is metered.
        case constrained = 2
    }

    /// Why the request was not allowed to use the network; nil when it failed for another reason.
    public var networkUnavailableReason: NetworkUnavailableReason? {
        (errorUserInfo[NSURLErrorNetworkUnavailableReasonKey] as? Int)
            .flatMap(NetworkUnavailableReason.init(rawValue:))
    }
}
