public import FoundationNetworking

/// What to do with a redirect that the rules allow.
public enum RedirectDecision: Sendable {
    /// Send this request, the proposed one or another in its place. Where it leads is checked again.
    case follow(URLRequest)
    /// Do not follow; hand the redirect's own response up.
    case deliver
}

/// Asked about each redirect before it is followed, on the transport's thread.
///
/// The fetch waits, without blocking anybody, until `completion` is called, from any thread; calls after the
/// first are ignored, and so is one that comes after the fetch was cancelled. The wait counts against the
/// total limit.
public typealias RedirectHook =
    @Sendable (
        _ response: HTTPURLResponse, _ newRequest: URLRequest,
        _ completion: @escaping @Sendable (RedirectDecision) -> Void
    ) -> Void
