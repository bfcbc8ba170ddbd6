import Synchronization

/// Counts changes, so that someone who looked for something in vain can tell whether another look is worth
/// while. Safe from any thread.
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

    private let total = Atomic<UInt64>(0)

    package init() {}

    /// The number of changes. Read it before the look.
    package var count: UInt64 { total.load(ordering: .acquiring) }

    /// The mark of this moment.
    package var mark: Mark { mark(at: count) }

    /// The mark of the moment with this count.
    package func mark(at count: UInt64) -> Mark { Mark(counter: self, count: count) }

    /// Counts a change that can be seen from now on.
    package func note() { total.add(1, ordering: .acquiringAndReleasing) }
}
