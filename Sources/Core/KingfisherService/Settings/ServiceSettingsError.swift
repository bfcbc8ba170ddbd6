/// A setting that the service cannot start with.
public struct ServiceSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the setting, such as `native-prefix` or `preset.card`.
    public let name: String
    /// A sentence without the name.
    public let reason: String

    /// Creates an error about a setting.
    public init(_ name: String, _ reason: String) { (self.name, self.reason) = (name, reason) }

    public var description: String { "\(name): \(reason)" }
}
