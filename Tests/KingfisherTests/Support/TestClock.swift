import Foundation
import KingfisherStorage
import Synchronization

/// A clock that only moves when it is told to.
final class TestClock: StorageClock {
    private let time: Mutex<Date>

    init(_ start: Date = Date()) {
        time = Mutex(start)
    }

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }
}
