import Foundation
import Glibc

/// The durations of the calls of one thread, and how long each of them was blocked.
struct CallTimes {
    /// Seconds from each call to its return.
    private(set) var taken: [Double] = []
    /// Of these, the seconds in which the thread neither ran nor waited for a processor to run on.
    private(set) var blocked: [Double] = []

    private let thread = ThreadClock()

    mutating func measure(_ operation: () throws -> Void) rethrows {
        let before = thread.now
        let start = ContinuousClock.now
        try operation()
        let taken = (ContinuousClock.now - start) / .seconds(1)
        self.taken.append(taken)
        let after = thread.now
        // A thread that did not switch voluntarily has not waited; any other delay comes from the host.
        let waited = after.pauses > before.pauses
        blocked.append(waited ? max(0, taken - (after.used - before.used)) : 0)
    }

    /// The limit that the cache guarantees.
    static func isLong(_ seconds: Double) -> Bool { seconds > 0.002 }

    /// The number of calls that were blocked for too long.
    var held: Int { blocked.count(where: Self.isLong) }

    static func percentile(_ share: Double, of times: [Double]) -> Double {
        let sorted = times.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }
}

/// The scheduling statistics of the calling thread.
private struct ThreadClock {
    struct Moment {
        /// Seconds on a processor, or on a run queue.
        var used: Double
        /// The number of voluntary context switches, as for a lock or a disk.
        var pauses: Int
    }

    /// Valid only on the thread that opened it.
    private let statistics = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)

    var now: Moment {
        var usage = rusage()
        getrusage(1, &usage)  // RUSAGE_THREAD, which Glibc leaves out.
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        let running = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        return Moment(used: running + delay, pauses: usage.ru_nvcsw)
    }

    /// The second of three numbers: nanoseconds on a run queue.
    private var delay: Double {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 96) { room in
            let count = pread(statistics, room.baseAddress, room.count, 0)
            let fields = String(decoding: room.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
            return fields.count > 1 ? (Double(fields[1]) ?? 0) / 1e9 : 0
        }
    }
}
