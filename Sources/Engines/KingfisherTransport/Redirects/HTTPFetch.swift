/// Performs a request that may need several exchanges, because of redirects and authentication, as one
/// transfer.
///
/// The handler receives only the head, body and end of the last exchange, under the rules of
/// ``TransportHandler``. Its task cancels and resumes the whole fetch. ``TransportLimits/total`` applies to
/// all exchanges together, without their waiting time in a queue; the other limits apply to each. The metrics
/// are added up, and `firstByte` counts from the start of the first exchange.
///
/// User name and password in the URL are sent only if a server requests them (a 401 with `Basic` or
/// `Digest`), and only to the URL's origin.
public final class HTTPFetch: Sendable {
    let transport: any Transport
    let rules: RedirectRules
    /// Nil if each fetch forgets its credentials at its end.
    let credentials: CredentialStore?
    package let cookies: CookieJar?

    /// Creates a fetcher that sends requests through `transport` and follows redirects by `rules`.
    public convenience init(_ transport: any Transport, rules: RedirectRules = RedirectRules()) {
        self.init(transport, rules: rules, credentials: CredentialStore())
    }

    /// Creates a fetcher that shares credentials and cookies with others. Without a store, a credential and
    /// the nonces of `Digest` serve only the fetch that brought them. Without a jar, there are no cookies.
    package init(
        _ transport: any Transport, rules: RedirectRules = RedirectRules(), credentials: CredentialStore?,
        cookies: CookieJar? = nil
    ) {
        self.transport = transport
        self.rules = rules
        self.credentials = credentials
        self.cookies = cookies
    }

    /// Starts a fetch and returns immediately.
    ///
    /// - Parameter redirect: Called for every redirect; `nil` follows all that the rules allow.
    public func start(
        _ request: TransportRequest, redirect: RedirectHook? = nil, handler: any TransportHandler
    ) -> any TransportTask {
        let question = redirect.map { hook -> FetchHooks.RedirectQuestion in
            { _, response, newRequest, completion in hook(response, newRequest, completion) }
        }
        let hooks = FetchHooks(redirect: question)
        return start(request, hooks: hooks, handler: handler)
    }

    package func start(
        _ request: TransportRequest, hooks: FetchHooks, handler: any TransportHandler
    ) -> any TransportTask {
        let task = FetchTask(request, of: self, hooks: hooks, handler: handler)
        task.startExchange()
        return task
    }

    /// Cancels all fetches; see ``Transport/invalidate()``.
    public func invalidate() { transport.invalidate() }
}
