import Foundation
import FoundationNetworking

package indirect enum AuthenticationMethod: Hashable, Sendable {
    /// RFC 7617.
    case basic(realm: String)
    case digest(DigestChallenge)

    static func strongest(in field: String) -> Self? {
        var best: Self?
        for offer in ChallengeReader.read(field) {
            guard let method = Self(offer), method.strength > best?.strength ?? 0 else { continue }
            best = method
        }
        return best
    }

    private init?(_ offer: OfferedChallenge) {
        if offer.scheme == "basic" {
            // The realm is required, but some servers omit it, and browsers authenticate nevertheless.
            self = .basic(realm: offer.parameters["realm"] ?? "")
        } else if let challenge = DigestChallenge(offer) {
            self = .digest(challenge)
        } else {
            return nil
        }
    }

    private var strength: Int {
        switch self {
        case .basic: 1
        case .digest(let challenge): challenge.algorithm.isSHA256 ? 3 : 2
        }
    }

    /// Whether an eavesdropper learns no more about the password than with the other method.
    func isAsStrong(as other: Self) -> Bool { strength >= other.strength }

    package var realm: String {
        switch self {
        case .basic(let realm): realm
        case .digest(let challenge): challenge.realm
        }
    }

    package var isDigest: Bool {
        if case .digest = self { true } else { false }
    }

    var nonce: String? {
        if case .digest(let challenge) = self { challenge.nonce } else { nil }
    }

    /// Whether the method can carry a credential: in `Basic`, a colon ends the user name.
    func accepts(_ credential: LoginCredential) -> Bool {
        isDigest || !credential.user.contains(":")
    }

    func fieldValue(
        for credential: LoginCredential, request: URLRequest, count: UInt32, clientNonce: () -> String
    ) -> String {
        switch self {
        case .basic:
            "Basic " + Data("\(credential.user):\(credential.password)".utf8).base64EncodedString()
        case .digest(let challenge):
            DigestAnswer(
                challenge: challenge, credential: credential, method: request.httpMethod ?? "GET",
                target: request.url?.requestTarget ?? "/", clientNonce: clientNonce(), count: count
            ).fieldValue
        }
    }
}

extension URL {
    /// Path and query as in the request line.
    var requestTarget: String {
        let path = path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (query(percentEncoded: true).map { "?" + $0 } ?? "")
    }
}
