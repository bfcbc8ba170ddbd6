import Foundation

/// A URL by which a downloader finds a transfer, hashed once: that costs more than all the rest of a look-up.
struct TransferKey: Hashable, Sendable {
    let url: URL
    private let hash: Int

    init(_ url: URL) {
        self.url = url
        hash = url.hashValue
    }

    static func == (one: Self, other: Self) -> Bool { one.hash == other.hash && one.url == other.url }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
