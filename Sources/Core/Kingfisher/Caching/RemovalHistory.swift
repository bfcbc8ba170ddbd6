import KingfisherStorage
import Synchronization

/// The removals of images by tag or key prefix.
///
/// A request that began before the end of such a removal does not store its image after it, and does not
/// share its work with later requests. It takes a `mark` when it begins, and asks `contains` before and after
/// it stores an image: a removal begins before it empties the caches. Bounded: of the oldest removals only
/// the number is kept, and they count for every image. Safe from any thread.
final class RemovalHistory: Sendable {
    /// The number of tags, and of prefixes.
    static let limits = (tags: 4_096, prefixes: 64)

    fileprivate struct State: Sendable {
        var running: [UInt64: EntrySelection] = [:]
        var tags: [String: UInt64] = [:]
        var prefixes: [String: UInt64] = [:]
        /// The last removal that was dropped.
        var dropped: UInt64 = 0
    }

    /// Changes at the beginning and at the end of each removal.
    private let count = Atomic<UInt64>(0)
    private let state = Mutex(State())

    /// Later removals have higher numbers.
    var mark: UInt64 { count.load(ordering: .acquiring) }

    /// Returns the number of the removal, for `end`.
    func begin(_ selection: EntrySelection) -> UInt64 {
        state.withLock { state in
            let number = next()
            state.running[number] = selection
            return number
        }
    }

    func end(_ number: UInt64) {
        state.withLock { state in
            guard let selection = state.running.removeValue(forKey: number) else { return }
            let number = next()
            switch selection {
            case .tagged(let tags): for tag in tags { state.tags[tag] = number }
            case .keyPrefix(let prefix): state.prefixes[prefix] = number
            }
            let dropped = max(
                Self.dropOldest(of: &state.tags, above: Self.limits.tags),
                Self.dropOldest(of: &state.prefixes, above: Self.limits.prefixes))
            state.dropped = max(state.dropped, dropped)
        }
    }

    private func next() -> UInt64 { count.add(1, ordering: .acquiringAndReleasing).newValue }

    /// Whether an image with this key and these tags is being removed, or was removed after `mark`.
    func contains(key: String, tags: [String], since mark: UInt64) -> Bool {
        guard self.mark > 0 else { return false }
        return state.withLock { state in
            state.running.values.contains { $0.contains(key: key, tags: tags) }
                || state.last(key, tags) > mark
        }
    }

    /// The number of the last removal of such an image; 0 if there was none.
    func last(key: String, tags: [String]) -> UInt64 {
        guard mark > 0 else { return 0 }
        return state.withLock { $0.last(key, tags) }
    }

    /// Drops the older half if there are more than `limit`. Returns the number of the last one dropped.
    private static func dropOldest(of removals: inout [String: UInt64], above limit: Int) -> UInt64 {
        guard removals.count > limit else { return 0 }
        let last = removals.values.sorted()[removals.count / 2]
        removals = removals.filter { $0.value > last }
        return last
    }
}

extension RemovalHistory.State {
    fileprivate func last(_ key: String, _ tags: [String]) -> UInt64 {
        let byTag = tags.compactMap { self.tags[$0] }.max() ?? 0
        let byPrefix = prefixes.filter { key.utf8.starts(with: $0.key.utf8) }.values.max() ?? 0
        return max(byTag, byPrefix, dropped)
    }
}
