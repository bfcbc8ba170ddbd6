import Foundation

extension HTTPFreshness.Failure {
    package init(_ error: TransportError) {
        self =
            switch error {
            case .timedOut, .tooSlow, .constrained, .resolve, .connect, .tls, .untrustedCertificate,
                .connectionLost,
                .truncated, .io:
                .disconnected
            // Errors to which a gateway would respond with 502.
            case .malformed, .headerTooLarge, .bodyTooLarge, .undecodable: .serverError
            case .foreign(let foreign):
                (foreign.error as? URLError).map { $0.code == .cancelled } == false ? .disconnected : .other
            case .cancelled, .throttled, .queueFull, .invalidRequest, .addressRefused,
                .clientCertificateRequired, .clientCertificateRejected, .tooManyRedirects, .redirectRefused:
                .other
            }
    }

    package init(status: Int) {
        self = [500, 502, 503, 504].contains(status) ? .serverError : .other
    }
}
