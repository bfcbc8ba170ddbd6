/// The delays that viewers show in place of those that files give.
public enum FrameDelay {
    /// Seconds for which a frame is shown whose delay is missing or too short to be meant, as in browsers.
    public static let standard = 0.1

    /// Seconds for which a frame is shown whose file says `seconds`.
    public static func shown(_ seconds: Double) -> Double {
        seconds > 0.011 ? seconds : standard
    }
}
