import ArgumentParser

/// A command that was given nothing to do.
///
/// Its own usage is shown: the parser's errors of `run` always show that of the whole tool.
struct MissingSubcommand: Error, CustomStringConvertible {
    let description: String

    init(of command: any ParsableCommand.Type) {
        let names = command.configuration.subcommands.compactMap { $0.configuration.commandName }
        let choices = "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
        let isWhole = command == KingfisherTool.self
        let path = isWhole ? "kingfisher" : "kingfisher \(command.configuration.commandName ?? "")"
        description = """
            Say what to do: \(choices)
            Usage: \(KingfisherTool.usageString(for: command))
              See '\(path) --help' for more information.
            """
    }
}
