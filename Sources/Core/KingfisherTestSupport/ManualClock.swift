package import Foundation
import KingfisherStorage
import Synchronization

/// A clock for caches that advances only when a test moves it.
package final class ManualClock: StorageClock {
    private struct Reading {
        let since: ContinuousClock.Instant
        let time: Date
    }

    private let start: Date
    /// One reading per move, in order.
    private let readings = Mutex<[Reading]>([])

    package init(_ start: Date = Date(timeIntervalSinceReferenceDate: 800_000_000.25)) {
        self.start = start
    }

    package var now: Date { readings.withLock { $0.last?.time ?? start } }

    package func time(of moment: ContinuousClock.Instant) -> Date {
        readings.withLock { $0.last { $0.since <= moment }?.time ?? start }
    }

    package func advance(by seconds: TimeInterval) {
        readings.withLock { readings in
            let time = (readings.last?.time ?? start) + seconds
            readings.append(Reading(since: .now, time: time))
        }
    }
}
