public import Synchronization

/// Releasing what a critical section removes, after it: the last release of an object may run code of users,
/// or code that takes the lock.
extension Mutex where Value: ~Copyable & Sendable {
    /// Calls `body` under the lock, and releases what it returns after the lock.
    @inlinable
    package borrowing func release<Removed: Sendable>(_ body: (inout Value) -> Removed) {
        let removed = withLock { body(&$0) }
        withExtendedLifetime(removed) {}
    }
}

extension Mutex where Value: Sendable {
    /// Replaces a part of the value.
    @inlinable
    package borrowing func set<Part: Sendable>(
        _ part: WritableKeyPath<Value, Part>, to new: Part
    ) {
        release { value in
            let old = value[keyPath: part]
            value[keyPath: part] = new
            return old
        }
    }
}
