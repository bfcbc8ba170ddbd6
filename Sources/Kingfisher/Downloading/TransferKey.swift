import Foundation
import KingfisherTransport

/// Identifies a transfer by its URL and the condition of its request. A caller that needs a body must not
/// share a conditional transfer, whose response may have none. The URL is hashed once, because that costs
/// more than the rest of a lookup.
struct TransferKey: Hashable, Sendable {
    let url: URL
    let condition: RequestCondition?
    private let hash: Int

    init(_ url: URL, condition: RequestCondition? = nil) {
        self.url = url
        self.condition = condition
        hash = url.hashValue
    }

    func hasSameURL(as other: Self) -> Bool { hash == other.hash && url == other.url }

    static func == (one: Self, other: Self) -> Bool {
        one.hasSameURL(as: other) && one.condition == other.condition
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
