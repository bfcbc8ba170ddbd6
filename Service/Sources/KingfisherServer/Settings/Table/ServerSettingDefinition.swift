/// A setting of `kingfisher-server`.
///
/// ``groups`` is the only list of settings: the parser, the help, the manual page, the page and the example
/// are made from it.
public struct ServerSettingDefinition: Sendable {
    /// What a setting is, besides its value.
    enum Kind: Sendable {
        /// A value.
        case value
        /// `on` or `off`; a flag without a value means `on`.
        case flag
        /// The path of a file with a secret, which may also be a credential of systemd.
        case secretFile
        /// A value for each name or format after the dot.
        case family
        /// The file with other settings.
        case configuration
    }

    /// The name, such as `listen`; a family ends in upper case, such as `preset.NAME`.
    public let name: String
    /// The default value as it is written in a file; nil for nothing.
    public let defaultText: String?
    /// The values that are accepted.
    public let range: String
    /// A sentence.
    public let summary: String
    let kind: Kind
    /// Parses a value into the draft.
    let read: @Sendable (SettingValue, inout SettingsDraft) throws(SettingReason) -> Void

    init(
        _ name: String, _ kind: Kind = .value, default defaultText: String?, _ range: String,
        _ summary: String,
        read: @escaping @Sendable (SettingValue, inout SettingsDraft) throws(SettingReason) -> Void
    ) {
        (self.name, self.kind, self.defaultText) = (name, kind, defaultText)
        (self.range, self.summary, self.read) = (range, summary, read)
    }

    /// All settings, in the order of the help.
    public static let all: [Self] = groups.flatMap(\.settings)

    /// All settings by subject.
    public static let groups: [(title: String, settings: [Self])] = [
        ("Start", start), ("URLs and signatures", urls), ("URLs of other services", compatibility),
        ("Sources", sources), ("Buckets", buckets), ("Results", results), ("Limits of images", limits),
        ("Caches", caches), ("Lifetimes", lifetimes), ("Load", load), ("Timeouts", timeouts),
        ("Operation", operation),
    ]

    /// The variable of the environment, such as `KINGFISHER_MAX_FRAMES` and `KINGFISHER_PRESET_NAME`.
    public var variable: String { SettingName.variable(of: name) }

    /// The text before the name of a member, such as `preset.`; nil unless the setting is a family.
    var familyPrefix: String? {
        kind == .family ? name.firstIndex(of: ".").map { String(name[...$0]) } : nil
    }
}
