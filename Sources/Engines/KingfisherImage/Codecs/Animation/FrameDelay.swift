/// Replacement of missing or too short frame delays, as viewers do it.
public enum FrameDelay {
    /// The duration in seconds of a frame whose delay is missing or too short; the same as in browsers.
    public static let standard = 0.1

    /// The duration in seconds of a frame whose file says `seconds`.
    public static func shown(_ seconds: Double) -> Double {
        seconds > 0.011 ? seconds : standard
    }
}
