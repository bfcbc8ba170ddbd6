package import FoundationNetworking

package struct FetchHooks: Sendable {
    /// A ``RedirectHook`` that also receives the redirect's head, which has the time of its arrival.
    package typealias RedirectQuestion =
        @Sendable (
            _ head: TransportResponse, _ response: HTTPURLResponse, _ newRequest: URLRequest,
            _ completion: @escaping @Sendable (RedirectDecision) -> Void
        ) -> Void

    /// Called for redirects; `nil` follows all that the rules allow.
    package var redirect: RedirectQuestion?
    /// Called when a server requests a credential; `nil` uses the credential in the URL, once.
    package var credential: AuthenticationHook?

    package init(redirect: RedirectQuestion? = nil, credential: AuthenticationHook? = nil) {
        self.redirect = redirect
        self.credential = credential
    }

    struct Present {
        let redirect: Bool
        let credential: Bool
    }

    var present: Present { Present(redirect: redirect != nil, credential: credential != nil) }
}
