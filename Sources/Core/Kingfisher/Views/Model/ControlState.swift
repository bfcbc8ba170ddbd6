/// The state of a control, with UIKit's names and raw values.
public struct ControlState: OptionSet, Hashable, Sendable {
    /// A bit for each part of the state.
    public let rawValue: UInt

    /// Creates a state with these bits; unknown ones are retained.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Enabled, with no other state.
    public static let normal: ControlState = []
    /// Pressed.
    public static let highlighted = ControlState(rawValue: 1 << 0)
    /// Disabled.
    public static let disabled = ControlState(rawValue: 1 << 1)
    /// Selected.
    public static let selected = ControlState(rawValue: 1 << 2)
    /// Has the keyboard focus.
    public static let focused = ControlState(rawValue: 1 << 3)
}
