import Foundation

/// Decides about each 401 of one fetch: values in, decisions out.
struct AuthenticationRounds {
    enum Step {
        case deliver
        case again(Authorization)
        case ask(AuthenticationQuestion)
    }

    /// The maximum number of 401 responses per fetch that lead to another request or to a hook call.
    static let limit = 8

    private var login: (origin: Origin, credential: LoginCredential)?
    private var isLoginUsed = false
    private var rounds = 0
    private var failures: (realm: String, origin: Origin, count: Int)?
    private var refused: Set<LoginCredential> = []
    private var question: AuthenticationQuestion?

    /// Takes the credential out of a trusted URL. Never pass an untrusted URL, such as a redirect's.
    mutating func takeLogin(from url: URL) {
        guard let credential = LoginCredential(of: url), let origin = Origin(url) else { return }
        login = (origin, credential)
        isLoginUsed = false
    }

    /// Whether a remembered authorization may be sent to `origin`: not in place of the URL's own credential.
    func allows(_ known: Authorization, at origin: Origin) -> Bool {
        login.map { $0.origin != origin || $0.credential == known.credential } ?? true
    }

    /// Decides about a 401, the response to a request with the authorization `sent`.
    ///
    /// - Parameters:
    ///   - known: Returns the remembered authorization of a realm. It is not sent by a weaker method without
    ///     a hook call, because an attacker on the network could demand one.
    ///   - forget: Called for a credential that the server has refused.
    mutating func take(
        _ response: TransportResponse, from origin: Origin, sent: Authorization?,
        known: (_ realm: String) -> Authorization?, forget: (Authorization) -> Void
    ) -> Step {
        rounds += 1
        guard rounds <= Self.limit, let field = response.value(forField: "WWW-Authenticate"),
            let method = AuthenticationMethod.strongest(in: field)
        else { return .deliver }
        if let sent, sent.method.realm == method.realm {
            if case .digest(let challenge) = method, challenge.nonce != sent.method.nonce,
                // A stale nonce from an earlier transfer does not mean that the password is wrong, either.
                challenge.isStale || sent.isReused, method.isAsStrong(as: sent.method)
            {
                return .again(Authorization(method: method, credential: sent.credential, isKept: sent.isKept))
            }
            forget(sent)
            countFailure(of: sent.credential, realm: method.realm, origin: origin)
        }
        if let known = known(method.realm), allows(known, at: origin), method.isAsStrong(as: known.method),
            !refused.contains(known.credential), method.accepts(known.credential)
        {
            return .again(Authorization(method: method, credential: known.credential, isReused: true))
        }
        let isSameSpace = failures?.realm == method.realm && failures?.origin == origin
        let question = AuthenticationQuestion(
            response: response, method: method, origin: origin,
            failures: isSameSpace ? failures?.count ?? 0 : 0,
            proposed: proposed(for: origin))
        self.question = question
        return .ask(question)
    }

    mutating func authorization(for decision: AuthenticationDecision) -> Authorization? {
        guard let question else { return nil }
        self.question = nil
        switch decision {
        case .use(let credential, let isKept):
            guard question.method.accepts(credential) else { return nil }
            return Authorization(method: question.method, credential: credential, isKept: isKept)
        case .standard:
            guard let credential = question.proposed, question.method.accepts(credential) else { return nil }
            isLoginUsed = true
            return Authorization(method: question.method, credential: credential)
        case .refuse, .cancel: return nil
        }
    }

    private func proposed(for origin: Origin) -> LoginCredential? {
        guard let login, login.origin == origin, !isLoginUsed, !refused.contains(login.credential) else {
            return nil
        }
        return login.credential
    }

    private mutating func countFailure(of credential: LoginCredential, realm: String, origin: Origin) {
        refused.insert(credential)
        let isSameSpace = failures?.realm == realm && failures?.origin == origin
        failures = (realm, origin, isSameSpace ? (failures?.count ?? 0) + 1 : 1)
    }
}
