/// Delays as GIF counts them, in hundredths of a second.
///
/// What rounding takes from one frame goes to the next, so that the whole does not drift: 30 frames a second
/// are written as 3, 4, 3. No frame is written shorter than two hundredths, since readers take less for a
/// tenth; what that adds stays added, or a long frame behind many short ones would have to pay for them.
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
