public import Synchronization

/// Keeps values beside objects that others own, found by key. Keeps no object alive. Safe from any thread.
///
/// A key may have several objects, and an object several keys. Entries of objects that are gone are removed
/// when the table has doubled, so that this costs each new entry a constant share.
@usableFromInline
package final class WeakTable<Key: Hashable & Sendable, Object: AnyObject & Sendable, Value: Sendable>:
    Sendable
{
    @usableFromInline struct Entry: Sendable {
        /// The address; another object may have it once this one is gone.
        @usableFromInline let address: ObjectIdentifier
        @usableFromInline weak var object: Object?
        @usableFromInline var value: Value

        @inlinable
        init(object: Object, value: Value) {
            (address, self.object, self.value) = (ObjectIdentifier(object), object, value)
        }

        /// Whether it is the entry of an object that the caller has. No other object is loaded, which could
        /// be released by that.
        @inlinable
        func isOf(_ object: Object) -> Bool { address == ObjectIdentifier(object) && self.object === object }
    }

    @usableFromInline struct State: Sendable {
        @usableFromInline var entries: [Key: [Entry]] = [:]
        @usableFromInline var count = 0
        /// The number of entries at which the next sweep comes.
        @usableFromInline var sweepsAt: Int

        @inlinable
        init(sweepsAt: Int) { self.sweepsAt = sweepsAt }

        /// Removes the entries of objects that are gone.
        @inlinable
        mutating func sweep(leastEntries: Int) -> Swept {
            guard count >= sweepsAt else { return Swept() }
            var swept = Swept(entries: entries)
            entries = entries.compactMapValues { entries in
                let alive = entries.filter { entry in
                    guard let object = entry.object else { return false }
                    swept.alive.append(object)
                    return true
                }
                return alive.isEmpty ? nil : alive
            }
            count = entries.values.reduce(0) { $0 + $1.count }
            sweepsAt = max(leastEntries, 2 * count)
            return swept
        }
    }

    /// What a sweep has seen, to be released outside the lock: the last reference may be one of these.
    @usableFromInline struct Swept {
        @usableFromInline var entries: [Key: [Entry]] = [:]
        @usableFromInline var alive: [Object] = []

        @inlinable
        init(entries: [Key: [Entry]] = [:]) { self.entries = entries }
    }

    @usableFromInline let state: Mutex<State>
    @usableFromInline let leastEntries: Int

    /// - Parameter leastEntries: With fewer entries there is no sweep.
    package init(leastEntries: Int = 64) {
        self.leastEntries = leastEntries
        state = Mutex(State(sweepsAt: leastEntries))
    }

    /// Entries, those of objects that are gone included.
    @inlinable
    package var count: Int { state.withLock(\.count) }

    /// All objects.
    @inlinable
    package var objects: [Object] {
        state.withLock { $0.entries.values.flatMap { $0.compactMap(\.object) } }
    }

    /// The objects under a key with their values, in the order in which they came.
    @inlinable
    package func entries(forKey key: Key) -> [(object: Object, value: Value)] {
        state.withLock { state in
            state.entries[key]?.compactMap { entry in
                entry.object.map { (object: $0, value: entry.value) }
            } ?? []
        }
    }

    /// The value of an object under a key.
    @inlinable
    package func value(of object: Object, forKey key: Key) -> Value? {
        state.withLock { $0.entries[key]?.first { $0.isOf(object) }?.value }
    }

    /// Sets the value of an object under a key to what `change` makes of the old one, which is nil for a new
    /// entry. `change` runs under the lock and only computes.
    @inlinable
    package func update(_ object: Object, forKey key: Key, _ change: (Value?) -> Value) {
        let (value, swept) = state.withLock { state -> (Value?, Swept?) in
            if let index = state.entries[key]?.firstIndex(where: { $0.isOf(object) }) {
                let old = state.entries[key]?[index].value
                state.entries[key]?[index].value = change(old)
                return (old, nil)
            }
            let swept = state.sweep(leastEntries: leastEntries)
            state.entries[key, default: []].append(Entry(object: object, value: change(nil)))
            state.count += 1
            return (nil, swept)
        }
        withExtendedLifetime((value, swept)) {}
    }
}
