public import Foundation

/// The source of "now" for expirations, so that tests can move time by hand.
@usableFromInline
package protocol StorageClock: Sendable {
    /// The wall clock's time; it may jump when somebody sets the clock.
    var now: Date { get }
}

/// The machine's wall clock.
package struct WallClock: StorageClock {
    package init() {}

    package var now: Date { Date() }
}
