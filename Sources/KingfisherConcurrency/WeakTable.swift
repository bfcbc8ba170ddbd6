import Synchronization

/// Keeps values beside objects that others own, found by key. Keeps no object alive. Safe from any thread.
///
/// A key may have several objects, and an object several keys. Entries of objects that are gone are removed when
/// the table has doubled, so that this costs each new entry a constant share.
package final class WeakTable<Key: Hashable & Sendable, Object: AnyObject & Sendable, Value: Sendable>:
    Sendable
{
    private struct Entry: Sendable {
        weak var object: Object?
        var value: Value
    }

    private struct State: Sendable {
        var entries: [Key: [Entry]] = [:]
        var count = 0
        /// The number of entries at which the next sweep comes.
        var sweepsAt: Int

        /// Removes the entries of objects that are gone; what is returned is released outside the lock.
        mutating func sweep(leastEntries: Int) -> [Key: [Entry]] {
            guard count >= sweepsAt else { return [:] }
            let old = entries
            entries = old.compactMapValues { entries in
                let alive = entries.filter { $0.object != nil }
                return alive.isEmpty ? nil : alive
            }
            count = entries.values.reduce(0) { $0 + $1.count }
            sweepsAt = max(leastEntries, 2 * count)
            return old
        }
    }

    private let state: Mutex<State>
    private let leastEntries: Int

    /// - Parameter leastEntries: With fewer entries there is no sweep.
    package init(leastEntries: Int = 64) {
        self.leastEntries = leastEntries
        state = Mutex(State(sweepsAt: leastEntries))
    }

    /// Entries, those of objects that are gone included.
    package var count: Int { state.withLock(\.count) }

    /// The objects under a key with their values, in the order in which they came.
    package func entries(forKey key: Key) -> [(object: Object, value: Value)] {
        state.withLock { state in
            state.entries[key]?.compactMap { entry in
                entry.object.map { (object: $0, value: entry.value) }
            } ?? []
        }
    }

    /// The value of an object under a key.
    package func value(of object: Object, forKey key: Key) -> Value? {
        state.withLock { $0.entries[key]?.first { $0.object === object }?.value }
    }

    /// Sets the value of an object under a key to what `change` makes of the old one, which is nil for a new
    /// entry. `change` runs under the lock and only computes.
    package func update(_ object: Object, forKey key: Key, _ change: (Value?) -> Value) {
        let (value, swept) = state.withLock { state -> (Value?, [Key: [Entry]]) in
            if let index = state.entries[key]?.firstIndex(where: { $0.object === object }) {
                let old = state.entries[key]?[index].value
                state.entries[key]?[index].value = change(old)
                return (old, [:])
            }
            let swept = state.sweep(leastEntries: leastEntries)
            state.entries[key, default: []].append(Entry(object: object, value: change(nil)))
            state.count += 1
            return (nil, swept)
        }
        withExtendedLifetime((value, swept)) {}
    }
}
