import Foundation
import KingfisherServer

@main enum Main {
    static func main() async {
        let tool = ServerTool(
            print: { print($0) },
            printError: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) })
        let status = await tool.run(Array(CommandLine.arguments.dropFirst())) { loaded in
            try await ServerProgram.serve(loaded)
        }
        exit(status)
    }
}
