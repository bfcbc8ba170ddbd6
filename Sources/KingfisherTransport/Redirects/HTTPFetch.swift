/// Runs a request over as many exchanges as redirects and demands for credentials ask for, as if it were one
/// transfer.
///
/// The handler sees the head, body and end of the last exchange only, under the rules of
/// ``TransportHandler``; its task cancels and resumes the whole. ``TransportLimits/total`` spans all
/// exchanges, less what they wait in a queue; the other limits hold for each. The metrics add them up,
/// `firstByte` counts from the start of the first.
///
/// Name and password in the URL are not sent until a server demands them (a 401 with `Basic` or `Digest`),
/// and then only to the URL's origin.
public final class HTTPFetch: Sendable {
    private let transport: any Transport
    private let rules: RedirectRules
    private let credentials: CredentialStore
    private let cookies: CookieJar?

    /// Sends requests through `transport` and follows redirects by `rules`.
    public convenience init(_ transport: any Transport, rules: RedirectRules = RedirectRules()) {
        self.init(transport, rules: rules, credentials: CredentialStore())
    }

    /// Shares credentials and cookies with other fetches; without a jar there are no cookies.
    package init(
        _ transport: any Transport, rules: RedirectRules = RedirectRules(), credentials: CredentialStore,
        cookies: CookieJar? = nil
    ) {
        self.transport = transport
        self.rules = rules
        self.credentials = credentials
        self.cookies = cookies
    }

    /// Begins a fetch and returns at once.
    ///
    /// - Parameter redirect: Asked about every redirect; `nil` follows those that the rules allow.
    public func start(
        _ request: TransportRequest, redirect: RedirectHook? = nil, handler: any TransportHandler
    ) -> any TransportTask {
        let question = redirect.map { hook -> FetchHooks.RedirectQuestion in
            { _, response, newRequest, completion in hook(response, newRequest, completion) }
        }
        let hooks = FetchHooks(redirect: question)
        return start(request, hooks: hooks, handler: handler)
    }

    /// As above, with every question that a fetch can have.
    package func start(
        _ request: TransportRequest, hooks: FetchHooks, handler: any TransportHandler
    ) -> any TransportTask {
        let task = FetchTask(
            request, transport: transport, rules: rules, credentials: credentials, cookies: cookies,
            hooks: hooks,
            handler: handler)
        task.startExchange()
        return task
    }

    /// Cancels every fetch; see ``Transport/invalidate()``.
    public func invalidate() { transport.invalidate() }
}
