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
    /// A file time with nanoseconds, clamped to the range from the distant past to the distant future.
    ///
    /// File systems hold less (ext4 ends in 2446); the kernel clamps the time to their range.
    init(_ date: Date) {
        let inside =
            date > .distantPast ? min(date, .distantFuture) : .distantPast  // Also NaN.
        let whole = inside.timeIntervalSinceReferenceDate.rounded(.down)
        let fraction = inside.timeIntervalSinceReferenceDate - whole
        self.init(
            tv_sec: Int(whole) + Int(Date.timeIntervalBetween1970AndReferenceDate),
            tv_nsec: min(Int(fraction * 1e9), 999_999_999))
    }

    static var unchanged: timespec { timespec(tv_sec: 0, tv_nsec: kf_linux_leave_time()) }
}
