package struct AuthenticationQuestion: Sendable {
    package let response: TransportResponse
    package let method: AuthenticationMethod
    package let origin: Origin
    /// The number of credentials that were refused for this realm during this fetch.
    package let failures: Int
    /// The credential in the URL; ``AuthenticationDecision/standard`` uses it.
    package let proposed: LoginCredential?
}

package enum AuthenticationDecision: Sendable {
    /// Repeat the request with a credential. If it is accepted, `isKept` remembers it.
    case use(LoginCredential, isKept: Bool)
    /// Use the credential in the URL, once; without one, deliver the 401.
    case standard
    case refuse
    case cancel
}

/// Called for each request for a credential, on the transport's thread. The rules of ``RedirectHook`` apply.
package typealias AuthenticationHook =
    @Sendable (
        _ question: AuthenticationQuestion, _ completion: @escaping @Sendable (AuthenticationDecision) -> Void
    ) -> Void

struct Authorization: Hashable, Sendable {
    let method: AuthenticationMethod
    let credential: LoginCredential
    /// Sent preemptively, because it was accepted before.
    var isReused = false
    var isKept = true
}
