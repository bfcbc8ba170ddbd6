import Foundation
import KingfisherTransport

/// What a downloader finds a transfer by: its URL, hashed once, for that costs more than all
/// the rest of a look-up, and what makes its request conditional. Who wants a body must not
/// join a transfer that may bring none.
struct TransferKey: Hashable, Sendable {
    let url: URL
    let condition: RequestCondition?
    private let hash: Int

    init(_ url: URL, condition: RequestCondition? = nil) {
        self.url = url
        self.condition = condition
        hash = url.hashValue
    }

    /// Whether both are for one URL.
    func hasSameURL(as other: Self) -> Bool { hash == other.hash && url == other.url }

    static func == (one: Self, other: Self) -> Bool {
        one.hasSameURL(as: other) && one.condition == other.condition
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
