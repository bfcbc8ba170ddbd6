import Foundation

extension HTTPFreshness.Failure {
    /// What a transfer that has failed says about the server.
    package init(_ error: TransportError) {
        self =
            switch error {
            case .timedOut, .tooSlow, .constrained, .resolve, .connect, .tls, .untrustedCertificate,
                .connectionLost,
                .truncated, .io:
                .disconnected
            // What a gateway would answer 502 to.
            case .malformed, .headerTooLarge, .bodyTooLarge, .undecodable: .serverError
            case .foreign(let foreign):
                (foreign.error as? URLError).map { $0.code == .cancelled } == false ? .disconnected : .other
            case .cancelled, .invalidRequest, .addressRefused, .clientCertificateRequired,
                .clientCertificateRejected, .tooManyRedirects, .redirectRefused:
                .other
            }
    }

    /// What a status that is no answer says about the server.
    package init(status: Int) {
        self = [500, 502, 503, 504].contains(status) ? .serverError : .other
    }
}
