/// What viewers make of the delays that files give.
package enum FrameDelay {
    /// Seconds for which a frame is shown whose delay is missing or too short to be meant, as in browsers.
    package static let standard = 0.1

    /// Seconds for which a frame is shown whose file says `seconds`.
    package static func shown(_ seconds: Double) -> Double {
        seconds > 0.011 ? seconds : standard
    }
}
