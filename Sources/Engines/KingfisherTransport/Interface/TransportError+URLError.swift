public import Foundation
import FoundationNetworking

extension TransportError {
    /// The corresponding `URLError`, for callers that compare its codes.
    ///
    /// Its `userInfo` contains this error under `NSUnderlyingErrorKey` and ``message`` as its description.
    public var urlError: URLError { urlError(for: nil) }

    /// The error to report for a request for `url`: a foreign error unchanged, otherwise ``urlError`` with
    /// the redacted URL as its `failingURL`.
    package func reportedError(for url: URL?) -> any Error {
        if case .foreign(let foreign) = self { foreign.error } else { urlError(for: url) }
    }

    private func urlError(for url: URL?) -> URLError {
        var userInfo: [String: Any] = [NSUnderlyingErrorKey: self, NSLocalizedDescriptionKey: message]
        // Redacted, because Foundation prints it with the error.
        userInfo[NSURLErrorFailingURLErrorKey] = url?.withoutSecrets
        if self == .constrained {
            userInfo[NSURLErrorNetworkUnavailableReasonKey] =
                URLError.NetworkUnavailableReason.constrained.rawValue
        }
        return URLError(urlErrorCode, userInfo: userInfo)
    }

    private var urlErrorCode: URLError.Code {
        switch self {
        case .cancelled: .cancelled
        case .timedOut, .tooSlow: .timedOut
        case .throttled, .queueFull: .resourceUnavailable
        case .constrained: .notConnectedToInternet
        case .invalidRequest: .badURL
        case .resolve: .cannotFindHost
        case .connect, .addressRefused: .cannotConnectToHost
        case .tls: .secureConnectionFailed
        case .untrustedCertificate(.expired, _): .serverCertificateHasBadDate
        case .untrustedCertificate(.notYetValid, _): .serverCertificateNotYetValid
        case .untrustedCertificate(.unknownAuthority, _): .serverCertificateHasUnknownRoot
        case .untrustedCertificate(.selfSigned, _), .untrustedCertificate(.wrongHost, _),
            .untrustedCertificate(.other, _):
            .serverCertificateUntrusted
        case .clientCertificateRequired: .clientCertificateRequired
        case .clientCertificateRejected: .clientCertificateRejected
        case .connectionLost, .truncated: .networkConnectionLost
        case .bodyTooLarge: .dataLengthExceedsMaximum
        case .headerTooLarge, .malformed: .badServerResponse
        case .undecodable: .cannotDecodeContentData
        case .tooManyRedirects: .httpTooManyRedirects
        case .redirectRefused: .redirectToNonExistentLocation
        case .foreign(let foreign): (foreign.error as? URLError)?.code ?? .unknown
        case .io: .unknown
        }
    }
}
