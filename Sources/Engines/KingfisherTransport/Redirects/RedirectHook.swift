public import FoundationNetworking

/// A decision about a redirect that the rules allow.
public enum RedirectDecision: Sendable {
    /// Send this request, which is the proposed one or a replacement. Its target is checked again.
    case follow(URLRequest)
    /// Do not follow the redirect; deliver its response.
    case deliver
}

/// Called for each redirect before it is followed, on the transport's thread.
///
/// The fetch waits, without blocking a thread, until `completion` is called, from any thread. Calls after the
/// first and calls after a cancel are ignored. The wait counts towards the total limit.
public typealias RedirectHook =
    @Sendable (
        _ response: HTTPURLResponse, _ newRequest: URLRequest,
        _ completion: @escaping @Sendable (RedirectDecision) -> Void
    ) -> Void
