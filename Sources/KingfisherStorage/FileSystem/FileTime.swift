import CLinux
import Foundation
import Glibc

extension Date {
    init(_ time: timespec) {
        let seconds = TimeInterval(time.tv_sec) - Date.timeIntervalBetween1970AndReferenceDate
        self.init(timeIntervalSinceReferenceDate: seconds + TimeInterval(time.tv_nsec) / 1e9)
    }
}

extension timespec {
    /// A file time with the nanoseconds kept, between the distant past and the distant future.
    ///
    /// File systems hold less (ext4 ends in 2446); the kernel moves what lies outside to the end of their
    /// range.
    init(_ date: Date) {
        let inside =
            date > .distantPast ? min(date, .distantFuture) : .distantPast  // Not a number ends up here, too.
        let whole = inside.timeIntervalSinceReferenceDate.rounded(.down)
        let fraction = inside.timeIntervalSinceReferenceDate - whole
        self.init(
            tv_sec: Int(whole) + Int(Date.timeIntervalBetween1970AndReferenceDate),
            tv_nsec: min(Int(fraction * 1e9), 999_999_999))
    }

    /// Stands for "leave this time as it is".
    static var unchanged: timespec { timespec(tv_sec: 0, tv_nsec: linux_leave_time()) }
}
