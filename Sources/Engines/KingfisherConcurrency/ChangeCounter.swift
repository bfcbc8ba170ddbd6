public import Synchronization

/// Counts changes, so that a caller that did not find a value can tell whether to look again.
///
/// Take a mark, or read `count`, before looking for a value. Call `note` after a change is visible to
/// readers. Safe from any thread.
@usableFromInline
package final class ChangeCounter: Sendable {
    @usableFromInline
    package struct Mark: Sendable {
        fileprivate let counter: ChangeCounter
        fileprivate let count: UInt64

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

    package func mark(at count: UInt64) -> Mark { Mark(counter: self, count: count) }

    package func note() { total.add(1, ordering: .acquiringAndReleasing) }
}
