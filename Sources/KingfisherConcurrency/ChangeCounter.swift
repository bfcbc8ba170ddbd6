public import Synchronization

/// Counts changes, so that a caller who looked for something and did not find it can tell whether to look
/// again. Safe from any thread.
@usableFromInline
package final class ChangeCounter: Sendable {
    /// How many changes there were at some moment.
    @usableFromInline
    package struct Mark: Sendable {
        fileprivate let counter: ChangeCounter
        fileprivate let count: UInt64

        /// Whether nothing has changed since.
        @usableFromInline
        package var isCurrent: Bool { counter.count == count }
    }

    @usableFromInline let total = Atomic<UInt64>(0)

    package init() {}

    /// The number of changes. Read it before the look.
    // Read at every hit in memory, where a call would cost more than the rest.
    @inlinable
    package var count: UInt64 { total.load(ordering: .acquiring) }

    /// The mark of this moment.
    package var mark: Mark { mark(at: count) }

    /// The mark of the moment with this count.
    package func mark(at count: UInt64) -> Mark { Mark(counter: self, count: count) }

    /// Counts a change that can be seen from now on.
    package func note() { total.add(1, ordering: .acquiringAndReleasing) }
}
