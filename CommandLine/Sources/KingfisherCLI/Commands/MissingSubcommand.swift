import ArgumentParser

/// A command without its required subcommand.
///
/// Shows the usage of that command; parser errors thrown by `run` always show the usage of the whole tool.
struct MissingSubcommand: Error, CustomStringConvertible {
    let description: String

    init(of command: any ParsableCommand.Type) {
        let names = command.configuration.subcommands.compactMap { $0.configuration.commandName }
        let choices = "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
        let isRoot = command == KingfisherTool.self
        let path = isRoot ? "kingfisher" : "kingfisher \(command.configuration.commandName ?? "")"
        description = """
            Missing subcommand; choose \(choices)
            Usage: \(KingfisherTool.usageString(for: command))
              See '\(path) --help' for more information.
            """
    }
}
