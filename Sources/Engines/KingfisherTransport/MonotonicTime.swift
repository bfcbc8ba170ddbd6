import Glibc

/// A point in time of the clock that `ContinuousClock` reads.
///
/// `ContinuousClock.Instant` has no fixed layout. A value with such a field is copied and destroyed by calls
/// of the runtime, which took 5,000 of the 186,000 instructions of a small download.
struct MonotonicTime: Comparable, Sendable {
    private let sinceBoot: Duration

    static var now: Self {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Self(
            sinceBoot: Duration(
                secondsComponent: Int64(time.tv_sec),
                attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000))
    }

    static func < (one: Self, other: Self) -> Bool { one.sinceBoot < other.sinceBoot }
    static func + (time: Self, duration: Duration) -> Self { Self(sinceBoot: time.sinceBoot + duration) }
    static func - (time: Self, duration: Duration) -> Self { Self(sinceBoot: time.sinceBoot - duration) }
    static func - (one: Self, other: Self) -> Duration { one.sinceBoot - other.sinceBoot }
}
