public import Foundation
import CLinux

@usableFromInline
package protocol StorageClock: Sendable {
    /// The wall clock's time. It jumps when the system clock is set.
    var now: Date { get }

    /// The wall clock's time at a past instant, computed from the time elapsed since then.
    func time(of moment: ContinuousClock.Instant) -> Date
}

extension StorageClock {
    @usableFromInline
    package func time(of moment: ContinuousClock.Instant) -> Date {
        now - (ContinuousClock.now - moment) / .seconds(1)
    }
}

@usableFromInline
package struct WallClock: StorageClock {
    package init() {}

    /// Exact: the expiry of an entry is its file's modification time, which other programs also read.
    @usableFromInline
    package var now: Date { Date(timeIntervalSinceReferenceDate: Self.seconds(kf_linux_wall_time())) }

    /// Up to one kernel tick (a few milliseconds) old. Precise enough for memory expirations, and cheap
    /// enough for every hit.
    @usableFromInline
    static var recentSeconds: Double { seconds(kf_linux_coarse_time()) }

    /// Seconds since the reference date of `Date`, the start of 2001.
    private static func seconds(_ time: timespec) -> Double {
        Double(time.tv_sec - 978_307_200) + Double(time.tv_nsec) * 1e-9
    }
}
