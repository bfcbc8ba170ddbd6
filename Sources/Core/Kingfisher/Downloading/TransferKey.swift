import Foundation
import FoundationNetworking
import KingfisherTransport

/// Identifies a transfer by its URL, by what its callers have added to the request, and by its condition. A
/// caller that needs a body must not share a conditional transfer, whose response may have none. The URL is
/// hashed once, because that costs more than the rest of a lookup. A class, because keys are copied often.
final class TransferKey: Hashable, Sendable {
    let url: URL
    let condition: RequestCondition?
    private let content: RequestContent?
    private let removalNumber: UInt64
    private let hash: Int

    /// - Parameters:
    ///   - content: Nil if the request is not modified and has no redirect handler.
    ///   - removalNumber: `LiveStages.removalNumber`.
    init(
        _ url: URL, condition: RequestCondition? = nil, content: RequestContent? = nil,
        removalNumber: UInt64 = 0
    ) {
        (self.url, self.removalNumber) = (url, removalNumber)
        self.condition = condition
        self.content = content
        hash = url.hashValue
    }

    func hasSameURL(as other: TransferKey) -> Bool { hash == other.hash && url == other.url }

    static func == (one: TransferKey, other: TransferKey) -> Bool {
        one.hasSameURL(as: other) && one.condition == other.condition && one.content == other.content
            && one.removalNumber == other.removalNumber
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
        // Many callers may ask for one URL, each with a token.
        if let content { hasher.combine(content) }
    }
}

/// What a request modifier and a redirect handler add to a request, or may add to a later hop: it may tell
/// who asks, and decide about the response. Handlers are equal if they are one object or compare as equal.
///
/// Compared as a whole and not by a digest, so that no caller can choose fields that pass for another
/// caller's fields.
struct RequestContent: Hashable, Sendable {
    private let fields: [String: String]
    private let method: String
    private let body: Data?
    private let handlesCookies: Bool
    private let timeout: TimeInterval
    private let redirects: ValueIdentity?

    /// Nil if the request sends nothing but its URL, with the timeout of the downloader in seconds.
    init?(
        _ request: URLRequest, redirects handler: (any ImageDownloadRedirectHandler)?,
        standardTimeout: TimeInterval
    ) {
        fields = request.allHTTPHeaderFields ?? [:]
        method = request.httpMethod ?? "GET"
        body = request.httpBody
        handlesCookies = request.httpShouldHandleCookies
        timeout = request.timeoutInterval
        redirects = handler.map { ValueIdentity($0) }
        if fields.isEmpty, method == "GET", body == nil, handlesCookies, timeout == standardTimeout,
            redirects == nil
        {
            return nil
        }
    }
}
