/// Names of settings: their variables, and what unknown ones may have meant.
enum SettingName {
    static let variablePrefix = "KINGFISHER_"

    /// The setting with this name, and the name of the member if it is a family.
    static func find(_ name: String) -> (definition: ServerSettingDefinition, member: String)? {
        if let plain = ServerSettingDefinition.all.first(where: { $0.kind != .family && $0.name == name }) {
            return (plain, "")
        }
        for family in ServerSettingDefinition.all {
            if let prefix = family.familyPrefix, name.hasPrefix(prefix), name != prefix {
                return (family, String(name.dropFirst(prefix.count)))
            }
        }
        return nil
    }

    /// The name of the setting that a variable names.
    ///
    /// `names` are those of other origins, because a variable does not tell `-`, `.`, `_` and cases apart: a
    /// member of a family is the one of these with this variable, otherwise its name is in lower case.
    static func named(byVariable variable: String, among names: some Sequence<String>) -> String? {
        if let plain = ServerSettingDefinition.all.first(
            where: { $0.kind != .family && $0.variable == variable })
        {
            return plain.name
        }
        for family in ServerSettingDefinition.all {
            guard let prefix = family.familyPrefix else { continue }
            let start = Self.variable(of: prefix)
            guard variable.hasPrefix(start), variable != start else { continue }
            return names.filter { Self.variable(of: $0) == variable }.min()
                ?? prefix + variable.dropFirst(start.count).lowercased()
        }
        return nil
    }

    static func variable(of name: String) -> String {
        variablePrefix
            + name.uppercased().map { $0 == "-" || $0 == "." ? "_" : String($0) }.joined()
    }

    /// Whether a variable with the prefix belongs to something else: the library, or Kubernetes, which sets
    /// some for each service, such as `KINGFISHER_SERVICE_HOST` for one named `kingfisher`.
    static func isForeign(variable: String, _ value: String) -> Bool {
        if variable == "KINGFISHER_REDIS_PASSWORD" { return true }
        let isPort = variable.hasSuffix("_PORT") && value.wholeMatch(of: /(tcp|udp|sctp):\/\/.*/) != nil
        let names = /KINGFISHER(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT_[0-9]+_(TCP|UDP|SCTP).*)/
        return isPort || variable.wholeMatch(of: names) != nil
    }

    /// Why a name is not accepted, with the known name that is most like it.
    static func unknown(_ name: String, prefix: String = "") -> SettingReason {
        guard isShown(name) else { return SettingReason("This is not the name of a setting.") }
        if let family = ServerSettingDefinition.all.first(
            where: { [name, name + "."].contains($0.familyPrefix) })
        {
            return SettingReason("A name is missing, as in \(prefix)\(family.name).")
        }
        guard let nearest = nearest(to: name) else {
            return SettingReason("There is no such setting.")
        }
        return SettingReason("There is no such setting. Did you mean \(prefix)\(nearest)?")
    }

    /// Whether a message may show a text in the place of a name: it might be a line of a file with keys.
    static func isShown(_ name: String) -> Bool {
        name.utf8.count <= 40 && name.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil
    }

    static func nearest(to name: String) -> String? {
        let name = name.lowercased().replacing("_", with: "-")
        let candidates = ServerSettingDefinition.all.map { definition -> (String, Int) in
            // Of a family, the beginning is compared, and the member kept.
            if let prefix = definition.familyPrefix, let dot = name.firstIndex(of: ".") {
                let member = name[name.index(after: dot)...]
                return (prefix + member, EditDistance.between(String(name[...dot]), prefix))
            }
            return (definition.name, EditDistance.between(name, definition.name))
        }
        guard let best = candidates.min(by: { $0.1 < $1.1 }), best.1 <= max(2, name.count / 3) else {
            return nil
        }
        return best.0
    }
}

/// The number of insertions, removals and replacements between two texts.
enum EditDistance {
    static func between(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.unicodeScalars), Array(other.unicodeScalars))
        var row = Array(0...other.count)
        for (index, scalar) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (scalar == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
