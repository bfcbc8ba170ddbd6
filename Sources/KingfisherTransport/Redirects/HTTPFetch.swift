/// Runs a request over as many hops as redirects ask for, as if it were one transfer.
///
/// The handler sees the head, body and end of the last hop only, under the rules of ``TransportHandler``; its task
/// cancels and resumes the whole. ``TransportLimits/total`` spans all hops, less what they wait in a queue; the other
/// limits hold for each. The metrics add up the hops, `firstByte` counts from the start of the first.
public final class HTTPFetch: Sendable {
    private let transport: any Transport
    private let rules: RedirectRules

    /// Sends hops through `transport` and follows redirects by `rules`.
    public init(_ transport: any Transport, rules: RedirectRules = RedirectRules()) {
        self.transport = transport
        self.rules = rules
    }

    /// Begins a fetch and returns at once.
    ///
    /// - Parameter redirect: Asked about every redirect; `nil` follows those that the rules allow.
    public func start(
        _ request: TransportRequest, redirect: RedirectHook? = nil, handler: any TransportHandler
    ) -> any TransportTask {
        let task = FetchTask(request, transport: transport, rules: rules, hook: redirect, handler: handler)
        task.startHop()
        return task
    }

    /// Cancels every fetch; see ``Transport/invalidate()``.
    public func invalidate() { transport.invalidate() }
}
