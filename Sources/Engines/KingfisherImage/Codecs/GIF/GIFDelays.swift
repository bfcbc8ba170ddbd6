/// Frame delays in hundredths of a second, as GIF stores them.
///
/// Rounding errors are carried to the next frame, so that the total does not drift: 30 frames a second become
/// 3, 4, 3. The minimum is two hundredths, because readers replace less with a tenth. Time added by the
/// minimum is not carried, so that a long frame does not shorten after many short ones.
struct GIFDelays {
    private static let range = 2...65_535
    private var remainder = 0.0

    mutating func hundredths(of seconds: Double) -> Int {
        guard seconds.isFinite, seconds < Double(Self.range.upperBound) / 100 else {
            remainder = 0
            return seconds > 0 ? Self.range.upperBound : Self.range.lowerBound
        }
        let exact = max(seconds, 0) * 100 + remainder
        let rounded = exact.rounded()
        remainder = exact - rounded
        return min(max(Int(rounded), Self.range.lowerBound), Self.range.upperBound)
    }
}
