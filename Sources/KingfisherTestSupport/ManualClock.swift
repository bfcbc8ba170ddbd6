package import Foundation
import KingfisherStorage
import Synchronization

/// A clock for caches that stands still until a test moves it.
package final class ManualClock: StorageClock {
    private let time: Mutex<Date>

    package init(_ start: Date = Date(timeIntervalSinceReferenceDate: 800_000_000.25)) {
        time = Mutex(start)
    }

    package var now: Date { time.withLock { $0 } }

    package func advance(by seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }
}
