import ArgumentParser
import Foundation
import Glibc

/// Runs the tool with the exit codes it promises: the parser's own for wrong usage is 64, ours is 2.
@main
enum Main {
    static func main() async {
        // A reader that leaves early (`| head`) must not end the process in the middle of a write.
        signal(SIGPIPE, SIG_IGN)
        Formats.register()
        do {
            var command = try KingfisherTool.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let code as ExitCode {
            exit(code.rawValue)
        } catch let error as MissingSubcommand {
            refuse(error.description)
        } catch {
            report(error)
        }
    }

    private static func report(_ error: any Error) -> Never {
        let message = KingfisherTool.fullMessage(for: error)
        guard KingfisherTool.exitCode(for: error).isSuccess else {
            let parserPrefix = "Error: "
            refuse(message.hasPrefix(parserPrefix) ? String(message.dropFirst(parserPrefix.count)) : message)
        }
        try? OutputFile.write(Data("\(message)\n".utf8), to: STDOUT_FILENO)
        exit(0)
    }

    private static func refuse(_ text: String) -> Never {
        try? OutputFile.write(Data("kingfisher: \(text)\n".utf8), to: STDERR_FILENO)
        exit(2)
    }
}
