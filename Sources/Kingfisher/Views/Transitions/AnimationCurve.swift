/// How far an animation is when a share of its time is over.
public enum AnimationCurve: Hashable, Sendable {
    /// Evenly.
    case linear
    /// Slow at the beginning.
    case easeIn
    /// Slow at the end.
    case easeOut
    /// Slow at both ends.
    case easeInOut

    /// The way covered at `time`, both from 0 to 1; `time` outside is taken as the nearer end.
    public func progress(at time: Double) -> Double {
        let time = min(max(time, 0), 1)
        return switch self {
        case .linear: time
        case .easeIn: time * time
        case .easeOut: time * (2 - time)
        case .easeInOut: time < 0.5 ? 2 * time * time : 1 - 2 * (1 - time) * (1 - time)
        }
    }
}
