public import Foundation
import CLinux

/// The source of "now" for expirations, so that tests can move time by hand.
@usableFromInline
package protocol StorageClock: Sendable {
    /// The wall clock's time; it may jump when somebody sets the clock.
    var now: Date { get }

    /// What the clock showed at a moment that is past, going by how long ago that is.
    func time(of moment: ContinuousClock.Instant) -> Date
}

extension StorageClock {
    @usableFromInline
    package func time(of moment: ContinuousClock.Instant) -> Date {
        now - (ContinuousClock.now - moment) / .seconds(1)
    }
}

/// The machine's wall clock, to the kernel's tick of a few milliseconds: expirations need no more, and every
/// hit in memory asks.
@usableFromInline
package struct WallClock: StorageClock {
    package init() {}

    @usableFromInline
    package var now: Date { Date(timeIntervalSinceReferenceDate: Self.seconds) }

    /// Seconds since the reference date of `Date`, which is the first moment of 2001.
    @usableFromInline
    static var seconds: Double {
        let time = linux_coarse_time()
        return Double(time.tv_sec - 978_307_200) + Double(time.tv_nsec) * 1e-9
    }
}
