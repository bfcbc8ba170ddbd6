import Foundation
import KingfisherStorage

/// The wall clock, ahead by a fixed time, so that recent files appear old.
struct ShiftedClock: StorageClock {
    let seconds: TimeInterval

    var now: Date { WallClock().now + seconds }
}
