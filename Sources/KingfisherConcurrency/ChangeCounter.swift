public import Synchronization

/// Counts changes, so that a caller that did not find a value can tell whether to look again. Safe from any
/// thread.
@usableFromInline
package final class ChangeCounter: Sendable {
    /// The number of changes at one moment.
    @usableFromInline
    package struct Mark: Sendable {
        fileprivate let counter: ChangeCounter
        fileprivate let count: UInt64

        /// Whether there was no change since the mark was taken.
        @usableFromInline
        package var isCurrent: Bool { counter.count == count }
    }

    @usableFromInline let total = Atomic<UInt64>(0)

    package init() {}

    /// The number of changes. Read it before looking for a value.
    // Inlinable, because every memory hit reads it.
    @inlinable
    package var count: UInt64 { total.load(ordering: .acquiring) }

    package var mark: Mark { mark(at: count) }

    /// The mark of an earlier moment, by the count that was read then.
    package func mark(at count: UInt64) -> Mark { Mark(counter: self, count: count) }

    /// Counts a change. Call it after the change is visible to readers.
    package func note() { total.add(1, ordering: .acquiringAndReleasing) }
}
