import Foundation

/// Converts delays in seconds to milliseconds; the error of the sum is at most half a millisecond.
struct MillisecondDelays {
    /// 24 bits (RFC 9649, ANMF chunk).
    static let longest = 0xFF_FFFF

    private var seconds = 0.0
    private var milliseconds = 0

    /// The next delay; 0 for negative durations and NaN.
    mutating func next(_ duration: TimeInterval) -> Int {
        let duration = duration.isNaN ? 0 : min(max(duration, 0), Double(Self.longest) / 1000)
        seconds += duration
        let delay = min(Int((seconds * 1000).rounded()) - milliseconds, Self.longest)
        milliseconds += delay
        return delay
    }
}
