public import Foundation
import CLinux
import Glibc

/// The source of "now" for expirations, so that tests can move time by hand.
@usableFromInline
package protocol StorageClock: Sendable {
    /// The wall clock's time; it may jump when somebody sets the clock.
    var now: Date { get }
}

/// The machine's wall clock, to the kernel's tick of a few milliseconds: expirations need no more, and every
/// hit in memory asks.
package struct WallClock: StorageClock {
    package init() {}

    package var now: Date {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9)
    }
}
