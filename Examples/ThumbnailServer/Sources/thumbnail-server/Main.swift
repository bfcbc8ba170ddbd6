import Foundation
import Hummingbird
import KingfisherSharedCache
import ThumbnailServer

/// Serves thumbnails on 127.0.0.1 until SIGTERM or SIGINT; completes pending requests before it exits.
@main struct Main {
    static func main() async throws {
        guard let options = ServerOptions(CommandLine.arguments.dropFirst()) else {
            printToStandardError(ServerOptions.usage)
            exit(EX_USAGE)
        }
        let server: any ApplicationProtocol
        do {
            server = try ThumbnailServer.make(options) { port in
                let query = "url=https://example.com/photo.jpg&width=300&height=200"
                printToStandardError("http://127.0.0.1:\(port)/thumbnail?\(query)")
            }
        } catch let error as RedisConfigurationError {
            printToStandardError("thumbnail-server: --shared: \(error)")
            exit(EX_USAGE)
        }
        try await server.runService()
    }

    private static func printToStandardError(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
