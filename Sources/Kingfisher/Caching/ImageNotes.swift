import KingfisherImage
import KingfisherTransport
import Synchronization

/// What is known of the freshness of pictures that somebody holds, by key: a cache's memory for
/// the most part.
///
/// Beside the memory storage rather than in it, so that a picture that somebody else stores under the same
/// key is never taken for the one that was downloaded. Keeps no picture alive. Safe from any thread.
final class FreshnessLedger: Sendable {
    private struct Key: Hashable {
        let computedKey: ExactText
        let picture: ObjectIdentifier

        init(_ computedKey: String, _ picture: KFCrossPlatformImage) {
            self.computedKey = ExactText(computedKey)
            self.picture = ObjectIdentifier(picture)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(picture) }
    }

    private struct Entry {
        /// Another picture may have its address once it is gone.
        weak var picture: KFCrossPlatformImage?
        let freshness: HTTPFreshness
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// The number of entries at which the dead among them are looked for next.
        var sweepsAt = 64
    }

    private let state = Mutex(State())

    /// Entries, those of pictures included that nobody holds any more.
    var count: Int { state.withLock(\.entries.count) }

    /// Notes what is known of a picture, in place of what was.
    func note(_ freshness: HTTPFreshness, of picture: KFCrossPlatformImage, forKey computedKey: String) {
        state.withLock { state in
            if state.entries.count >= state.sweepsAt {
                state.entries = state.entries.filter { $0.value.picture != nil }
                // Twice what is alive, so that sweeping costs each new entry a constant share.
                state.sweepsAt = max(64, 2 * state.entries.count)
            }
            state.entries[Key(computedKey, picture)] = Entry(
                picture: picture, freshness: freshness)
        }
    }

    /// What is known of a picture; nil for one that did not come by HTTP, or without `.httpCaching`.
    func freshness(of picture: KFCrossPlatformImage, forKey computedKey: String) -> HTTPFreshness? {
        state.withLock { state in
            let entry = state.entries[Key(computedKey, picture)]
            return entry?.picture === picture ? entry?.freshness : nil
        }
    }
}
