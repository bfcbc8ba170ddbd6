public import Synchronization

/// Associates values with weakly referenced objects, by key. Safe from any thread.
///
/// A key may have several objects, and an object several keys. Entries of released objects are removed
/// whenever the table has doubled in size, so that removal takes amortized constant time.
@usableFromInline
package final class WeakTable<Key: Hashable & Sendable, Object: AnyObject & Sendable, Value: Sendable>:
    Sendable
{
    @usableFromInline struct Entry: Sendable {
        @usableFromInline let address: ObjectIdentifier
        @usableFromInline weak var object: Object?
        @usableFromInline var value: Value

        @inlinable
        init(object: Object, value: Value) {
            (address, self.object, self.value) = (ObjectIdentifier(object), object, value)
        }

        /// Compares the address first, so that no other object is loaded: loading could make this the last
        /// reference to it. Compares the object too, because a new object may reuse the address.
        @inlinable
        func isOf(_ object: Object) -> Bool { address == ObjectIdentifier(object) && self.object === object }
    }

    @usableFromInline struct State: Sendable {
        @usableFromInline var entries: [Key: [Entry]] = [:]
        @usableFromInline var count = 0
        @usableFromInline var sweepsAt: Int

        @inlinable
        init(sweepsAt: Int) { self.sweepsAt = sweepsAt }

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

    /// The objects that a sweep has loaded. Released outside the lock, because these may be the last
    /// references.
    @usableFromInline
    struct Swept: Sendable {
        @usableFromInline var entries: [Key: [Entry]] = [:]
        @usableFromInline var alive: [Object] = []

        @inlinable
        init(entries: [Key: [Entry]] = [:]) { self.entries = entries }
    }

    @usableFromInline let state: Mutex<State>
    @usableFromInline let leastEntries: Int

    /// - Parameter leastEntries: The number of entries below which the table is not swept.
    package init(leastEntries: Int = 64) {
        self.leastEntries = leastEntries
        state = Mutex(State(sweepsAt: leastEntries))
    }

    /// The number of entries, including entries of released objects.
    @inlinable
    package var count: Int { state.withLock(\.count) }

    @inlinable
    package var objects: [Object] { keyedObjects.map(\.object) }

    @inlinable
    package var keyedObjects: [(key: Key, object: Object)] {
        state.withLock { state in
            state.entries.flatMap { key, entries in
                entries.compactMap { entry in entry.object.map { (key: key, object: $0) } }
            }
        }
    }

    /// In the order of insertion.
    @inlinable
    package func entries(forKey key: Key) -> [(object: Object, value: Value)] {
        state.withLock { state in
            state.entries[key]?.compactMap { entry in
                entry.object.map { (object: $0, value: entry.value) }
            } ?? []
        }
    }

    @inlinable
    package func value(of object: Object, forKey key: Key) -> Value? {
        state.withLock { $0.entries[key]?.first { $0.isOf(object) }?.value }
    }

    /// Sets the value of an object under a key to the result of `change`, which gets the old value, or nil
    /// for a new entry. `change` runs under the lock, so it must not call other code.
    @inlinable
    package func update(_ object: Object, forKey key: Key, _ change: (Value?) -> Value) {
        state.release { state -> (Value?, Swept?) in
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
    }

    @inlinable
    package func removeAll(forKey key: Key) {
        remove { $0.removeValue(forKey: key).map { [$0] } ?? [] }
    }

    @inlinable
    package func removeAll() {
        remove { entries in
            defer { entries = [:] }
            return Array(entries.values)
        }
    }

    /// Removes entries; what they hold is released outside the lock.
    @inlinable
    func remove(_ body: (inout [Key: [Entry]]) -> [[Entry]]) {
        state.release { state -> [[Entry]] in
            guard state.count > 0 else { return [] }
            let removed = body(&state.entries)
            state.count -= removed.reduce(0) { $0 + $1.count }
            return removed
        }
    }
}
