import ArgumentParser
import Glibc
import Kingfisher
import KingfisherFormats
import KingfisherIsolation

/// Runs the tool. Wrong usage exits with 2, not with the parser's 64.
@main
enum Main {
    static func main() async {
        // A reader that exits early (`| head`) must not end the process in the middle of a write.
        signal(SIGPIPE, SIG_IGN)
        // A file above a limit of size is an error, after which its temporary file is removed.
        signal(SIGXFSZ, SIG_IGN)
        StandardOutput.occupyClosedDescriptors()
        registerFormats()
        var status = await run(SystemText.arguments)
        do {
            try StandardOutput.finish()
        } catch {
            StandardError.write("kingfisher: cannot write standard output: \(error)\n")
            if status == 0 { status = 1 }
        }
        exit(status)
    }

    /// Must be called before arguments are parsed, because help and errors list all formats.
    ///
    /// Formats with a history of vulnerabilities are decoded in another process.
    static func registerFormats() {
        ImageCodecs.registerAll()
        ImageCodecs.isolate()
    }

    private static func run(_ arguments: [String]) async -> Int32 {
        do {
            var command = try KingfisherTool.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return 0
        } catch let code as ExitCode {
            return code.rawValue
        } catch {
            return UsageMessage(error, arguments: arguments).write()
        }
    }
}
