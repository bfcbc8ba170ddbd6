/// The arguments of the program: `--name value`, `--name=value`, and others.
struct SettingFlags {
    private(set) var settings = SettingEntries()
    /// Arguments that are no flags, in order.
    private(set) var others: [String] = []

    init(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                others += rest
                return
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                others.append(argument)
                continue
            }
            add(argument, &rest)
        }
    }

    private mutating func add(_ argument: String, _ rest: inout ArraySlice<String>) {
        guard argument.hasPrefix("--") else {
            settings.problems.append(
                SettingProblem(.none, "", "\(SettingText.quoted(argument)): Flags start with two hyphens."))
            return
        }
        let parts = argument.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        if parts.count == 2 {
            settings.add(name, parts[1].trimmedSpaces, .flag, prefix: "--")
            return
        }
        if SettingName.find(name)?.definition.kind == .flag {
            let hasValue = rest.first == "on" || rest.first == "off"
            settings.add(name, hasValue ? rest.removeFirst() : "on", .flag, prefix: "--")
            return
        }
        let value = rest.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
        // The value of an unknown flag is not an argument of its own.
        if value != nil { rest.removeFirst() }
        settings.add(name, value?.trimmedSpaces ?? "", .flag, prefix: "--")
    }
}
