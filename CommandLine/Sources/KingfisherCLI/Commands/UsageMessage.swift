import ArgumentParser
import Foundation
import Glibc

/// The parser's output instead of a command's: help, or a usage error.
struct UsageMessage {
    private let text: String
    private let isHelp: Bool

    init(_ error: any Error, arguments: [String]) {
        let file = Self.fileLikeOptions(in: arguments)
        // The parser finds -h in -photo.jpg.
        let isMeant = file == nil || !Set(arguments).isDisjoint(with: ["-h", "--help", "help", "--version"])
        isHelp = KingfisherTool.exitCode(for: error).isSuccess && isMeant
        guard !isHelp else {
            text = KingfisherTool.fullMessage(for: error)
            return
        }
        var message = (error as? MissingSubcommand)?.description ?? KingfisherTool.fullMessage(for: error)
        if KingfisherTool.exitCode(for: error).isSuccess, let file {
            message = "Unknown option '\(file)'\nUsage: \(KingfisherTool.usageString())"
        }
        let prefix = "Error: "
        if message.hasPrefix(prefix) { message.removeFirst(prefix.count) }
        // Lines of the message come from the parser, but an argument within one is untrusted.
        for argument in arguments where argument.redactedSource.escaped != argument {
            message = message.replacing(argument, with: argument.redactedSource.escaped)
        }
        var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if let file { lines.insert("If it is a file name, write ./\(file), or put -- before it.", at: 1) }
        text = "kingfisher: " + lines.map(\.redacted.escaped).joined(separator: "\n")
    }

    /// Writes help to standard output and errors to standard error; returns the exit status.
    func write() -> Int32 {
        if isHelp { StandardOutput.write(Data("\(text)\n".utf8)) } else { StandardError.write("\(text)\n") }
        return isHelp ? 0 : 2
    }

    /// An argument that was parsed as options but may be a file: the file exists, or the extension is an
    /// image's extension.
    private static func fileLikeOptions(in arguments: [String]) -> String? {
        arguments.prefix { $0 != "--" }.first { argument in
            guard argument.count > 1, argument.hasPrefix("-") else { return false }
            let parts = argument.split(separator: ".")
            return argument.fileStatus != nil
                || parts.count > 1 && !argument.contains("=")
                    && OutputFormat(extension: String(parts[parts.count - 1])) != nil
        }
    }
}
