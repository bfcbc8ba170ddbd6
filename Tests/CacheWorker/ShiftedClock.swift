import Foundation
import KingfisherStorage

/// The wall clock, ahead by a fixed time: what was left a moment ago is old for it.
struct ShiftedClock: StorageClock {
    let seconds: TimeInterval

    var now: Date { WallClock().now + seconds }
}
