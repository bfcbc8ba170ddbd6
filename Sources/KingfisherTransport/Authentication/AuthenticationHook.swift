/// A server's demand for a credential.
package struct AuthenticationQuestion: Sendable {
    /// The 401.
    package let response: TransportResponse
    package let method: AuthenticationMethod
    /// Who asks.
    package let origin: Origin
    /// How many credentials this fetch has had refused here.
    package let failures: Int
    /// From the URL; what ``AuthenticationDecision/standard`` uses.
    package let proposed: LoginCredential?
}

/// What to do about a server's demand for a credential.
package enum AuthenticationDecision: Sendable {
    /// Send the request again with a credential; `isKept` remembers it where it is accepted.
    case use(LoginCredential, isKept: Bool)
    /// Use the credential of the URL, once; without one hand the 401 up.
    case standard
    /// Hand the 401 up.
    case refuse
    /// Give the fetch up.
    case cancel
}

/// Asked about each demand for a credential, on the transport's thread; the rules of ``RedirectHook`` hold.
package typealias AuthenticationHook =
    @Sendable (
        _ question: AuthenticationQuestion, _ completion: @escaping @Sendable (AuthenticationDecision) -> Void
    ) -> Void

/// A credential in the form that a server has asked for.
struct Authorization: Hashable, Sendable {
    let method: AuthenticationMethod
    let credential: LoginCredential
    /// Sent without being asked, because it was good before.
    var isReused = false
    /// To be remembered where it is accepted.
    var isKept = true
}
