import Foundation
public import FoundationNetworking

extension KF {
    /// A redirect to decide about.
    public struct RedirectPayload: Sendable {
        /// The download that was redirected.
        public let task: SessionDataTask
        /// The redirect response.
        public let response: HTTPURLResponse
        /// The request that follows the redirect.
        public let newRequest: URLRequest
        /// Call it exactly once, on any thread, with the request to send next; nil delivers the redirect
        /// response itself.
        public let completionHandler: @Sendable (URLRequest?) -> Void
    }
}
