import Foundation

/// Settings in the environment, and in the credentials of systemd.
enum SettingVariables {
    /// The variables `KINGFISHER_NAME`; an empty one is not set.
    ///
    /// `names` are those of flags and of the file, see `SettingName.named(byVariable:among:)`.
    static func entries(_ environment: [String: String], names: [String]) -> SettingEntries {
        var settings = SettingEntries()
        for (variable, text) in environment.sorted(by: { $0.key < $1.key }) {
            let text = text.trimmedSpaces
            guard variable.hasPrefix(SettingName.variablePrefix), !text.isEmpty,
                !SettingName.isForeign(variable: variable, text)
            else { continue }
            let origin = SettingOrigin.environment(variable: variable)
            if let name = SettingName.named(byVariable: variable, among: names) {
                settings.add(name, text, origin)
            } else {
                settings.problems.append(SettingProblem(origin, "", unknown(variable)))
            }
        }
        return settings
    }

    private static func unknown(_ variable: String) -> String {
        let name = variable.dropFirst(SettingName.variablePrefix.count).lowercased()
        guard let nearest = SettingName.nearest(to: name.replacing("_", with: "-")) else {
            return "There is no such setting."
        }
        return "There is no such setting. Did you mean \(SettingName.variable(of: nearest))?"
    }

    /// Files in `$CREDENTIALS_DIRECTORY` with the names of settings for files with secrets (systemd.exec).
    static func credentials(_ environment: [String: String]) -> SettingEntries {
        var settings = SettingEntries()
        guard let folder = environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/") else {
            return settings
        }
        for definition in ServerSettingDefinition.all where definition.kind == .secretFile {
            let path = "\(folder)/\(definition.name)"
            if FileManager.default.fileExists(atPath: path) {
                settings.add(definition.name, path, .credential)
            }
        }
        return settings
    }
}
