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

/// The machine's wall clock.
@usableFromInline
package struct WallClock: StorageClock {
    package init() {}

    /// Exact: a file's expiry is its modification time, which other programs read as well.
    @usableFromInline
    package var now: Date { Date(timeIntervalSinceReferenceDate: Self.seconds(linux_wall_time())) }

    /// Up to a tick of the kernel old, a few milliseconds: expirations in memory need no more, and every hit
    /// asks.
    @usableFromInline
    static var recentSeconds: Double { seconds(linux_coarse_time()) }

    /// Seconds since the reference date of `Date`, which is the first moment of 2001.
    private static func seconds(_ time: timespec) -> Double {
        Double(time.tv_sec - 978_307_200) + Double(time.tv_nsec) * 1e-9
    }
}
