import Foundation
import KingfisherTestSupport
import Synchronization

@testable import KingfisherTransport

/// The server's part of RFC 7616, with nonces that can expire, and counts that must not repeat.
final class DigestServer: Sendable {
    private struct State {
        var nonce = 1
        var counts: Set<String> = []
    }

    private let state = Mutex(State())
    let algorithm: String
    let credential: LoginCredential

    init(_ algorithm: String = "SHA-256", user: String = "me", password: String = "secret") {
        self.algorithm = algorithm
        credential = LoginCredential(user: user, password: password)
    }

    /// Makes all earlier nonces stale.
    func renew() { state.withLock { $0.nonce += 1 } }

    func challenge(stale: Bool = false) -> String {
        let nonce = state.withLock { $0.nonce }
        return #"Digest realm="r", nonce="n\#(nonce)", qop="auth", algorithm=\#(algorithm), stale=\#(stale)"#
    }

    /// `answer` to a request with valid credentials, otherwise a challenge.
    func respond(to request: ServerRequest, _ answer: ServerResponse = .ok(Data("image".utf8)))
        -> ServerResponse
    {
        let field = request.header("Authorization").flatMap { ChallengeReader.read($0).first }
        guard let values = field?.parameters, let count = values["nc"].flatMap({ UInt32($0, radix: 16) }),
            let nonce = values["nonce"], let clientNonce = values["cnonce"],
            let asked = ChallengeReader.read(challenge()).first,
            let challenge = DigestChallenge(
                OfferedChallenge(
                    scheme: "digest", parameters: asked.parameters.merging(["nonce": nonce]) { $1 }))
        else { return demand() }
        let right = DigestAnswer(
            challenge: challenge, credential: credential, method: request.method, target: request.target,
            clientNonce: clientNonce, count: count
        ).response
        guard values["response"] == right, values["uri"] == request.target,
            values["username"] == credential.user
        else { return demand() }
        let isFresh = state.withLock { state in
            nonce == "n\(state.nonce)" && state.counts.insert("\(nonce) \(count)").inserted
        }
        return isFresh ? answer : demand(stale: true)
    }

    func demand(stale: Bool = false) -> ServerResponse {
        .status(
            401, headers: [("WWW-Authenticate", challenge(stale: stale))], body: Data("who are you?".utf8))
    }
}

extension ServerRequest {
    /// User and password of a `Basic` header, decoded.
    var basicLogin: String? {
        guard let field = header("Authorization"), field.hasPrefix("Basic "),
            let data = Data(base64Encoded: String(field.dropFirst(6)))
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}
