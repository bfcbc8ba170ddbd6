public import Foundation
import FoundationNetworking

/// The user-info key of the raw value of a `URLError.NetworkUnavailableReason`, as in Apple's Foundation.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"

extension URLError {
    /// The reason why a request was not allowed to use the available network.
    ///
    /// Foundation on Linux lacks this type; names and raw values are Apple's.
    public enum NetworkUnavailableReason: Int, Sendable {
        case cellular = 0
        case expensive = 1
        /// Low Data Mode; here: the network is metered.
        case constrained = 2
    }

    /// The reason why the request was not allowed to use the network; nil if it failed for another reason.
    public var networkUnavailableReason: NetworkUnavailableReason? {
        (errorUserInfo[NSURLErrorNetworkUnavailableReasonKey] as? Int)
            .flatMap(NetworkUnavailableReason.init(rawValue:))
    }
}
