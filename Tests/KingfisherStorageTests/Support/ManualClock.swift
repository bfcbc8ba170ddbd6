import Foundation
import KingfisherStorage
import Synchronization

/// A clock that stands still until a test moves it.
final class ManualClock: StorageClock {
    private let time: Mutex<Date>

    init(_ start: Date = Date(timeIntervalSinceReferenceDate: 800_000_000.25)) {
        time = Mutex(start)
    }

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }
}
