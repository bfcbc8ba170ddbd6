package import FoundationNetworking

/// Who is asked on the way of a fetch.
package struct FetchHooks: Sendable {
    /// A ``RedirectHook`` that is told the redirect's head, too: when it came is said nowhere else.
    package typealias RedirectQuestion =
        @Sendable (
            _ head: TransportResponse, _ response: HTTPURLResponse, _ newRequest: URLRequest,
            _ completion: @escaping @Sendable (RedirectDecision) -> Void
        ) -> Void

    /// About redirects; `nil` follows those that the rules allow.
    package var redirect: RedirectQuestion?
    /// About a server's demand for a credential; `nil` uses that of the URL, once.
    package var credential: AuthenticationHook?

    package init(redirect: RedirectQuestion? = nil, credential: AuthenticationHook? = nil) {
        self.redirect = redirect
        self.credential = credential
    }

    /// Which hooks there are.
    struct Present {
        let redirect: Bool
        let credential: Bool
    }

    var present: Present { Present(redirect: redirect != nil, credential: credential != nil) }
}
