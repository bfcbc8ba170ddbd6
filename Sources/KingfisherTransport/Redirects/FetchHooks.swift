/// Who is asked on the way of a fetch.
package struct FetchHooks: Sendable {
    /// About redirects; `nil` follows those that the rules allow.
    package var redirect: RedirectHook?
    /// About a server's demand for a credential; `nil` uses that of the URL, once.
    package var credential: AuthenticationHook?

    package init(redirect: RedirectHook? = nil, credential: AuthenticationHook? = nil) {
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
