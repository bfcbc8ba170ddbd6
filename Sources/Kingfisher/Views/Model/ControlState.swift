/// What a control is going through; UIKit's names and numbers.
public struct ControlState: OptionSet, Hashable, Sendable {
    /// A bit for each part of the state.
    public let rawValue: UInt

    /// The state with these bits; those that have no name here are kept.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Enabled, and nothing else.
    public static let normal: ControlState = []
    /// Pressed.
    public static let highlighted = ControlState(rawValue: 1 << 0)
    /// Not to be used.
    public static let disabled = ControlState(rawValue: 1 << 1)
    /// Switched on.
    public static let selected = ControlState(rawValue: 1 << 2)
    /// The one that the keyboard works on.
    public static let focused = ControlState(rawValue: 1 << 3)
}
