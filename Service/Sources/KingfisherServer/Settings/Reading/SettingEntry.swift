import Foundation

/// A value of a setting, not parsed.
struct SettingEntry {
    let definition: ServerSettingDefinition
    /// With the name of the member if the setting is a family.
    let name: String
    /// The name of the member, or empty.
    let member: String
    let text: String
    let origin: SettingOrigin
    /// Where relative paths start; nil for the folder of the process.
    var folder: URL?

    func problem(_ reason: String) -> SettingProblem { SettingProblem(origin, name, reason) }

    func value(environment: [String: String]) -> SettingValue {
        var value = SettingValue(text: text, member: member, environment: environment)
        if let folder { value.folder = folder }
        return value
    }
}

/// The entries of one origin, and what is wrong with it.
struct SettingEntries {
    private(set) var entries: [SettingEntry] = []
    var problems: [SettingProblem] = []

    /// Adds a value, unless its name is unknown or has a value, or it is empty.
    mutating func add(
        _ name: String, _ text: String, _ origin: SettingOrigin, folder: URL? = nil, prefix: String = ""
    ) {
        guard let (definition, member) = SettingName.find(name) else {
            let shown = SettingName.isShown(name) ? name : ""
            problems.append(SettingProblem(origin, shown, SettingName.unknown(name, prefix: prefix).text))
            return
        }
        guard !text.isEmpty else {
            problems.append(SettingProblem(origin, name, "The value is missing."))
            return
        }
        if let first = entries.first(where: { $0.name == name }) {
            let place = if case .file(_, let line) = first.origin { " in line \(line)" } else { "" }
            problems.append(SettingProblem(origin, name, "The setting already has a value\(place)."))
            return
        }
        entries.append(
            SettingEntry(
                definition: definition, name: name, member: member, text: text, origin: origin, folder: folder
            ))
    }
}
