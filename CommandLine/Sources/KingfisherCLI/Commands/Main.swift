import ArgumentParser
import Glibc

/// Runs the tool with the exit codes it promises: the parser's own for wrong usage is 64, ours is 2.
@main
enum Main {
    static func main() async {
        // A reader that leaves early (`| head`) must not end the process in the middle of a write.
        signal(SIGPIPE, SIG_IGN)
        StandardOutput.occupyClosedDescriptors()
        Formats.register()
        var status = await run(SystemText.arguments)
        do {
            try StandardOutput.finish()
        } catch {
            StandardError.write("kingfisher: cannot write standard output: \(error)\n")
            if status == 0 { status = 1 }
        }
        exit(status)
    }

    /// Returns the exit status.
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
