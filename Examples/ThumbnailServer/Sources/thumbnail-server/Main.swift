import FlyingFox
import FlyingSocks
import Foundation
import Kingfisher
import ThumbnailServer

/// `thumbnail-server [PORT] [--any-address]`: serves thumbnails on 127.0.0.1, of pictures at
/// public addresses.
@main struct Main {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let port = arguments.compactMap { UInt16($0) }.first ?? 8080
        let manager = KingfisherManager.forServers(cache: ImageCache(name: "thumbnails"))
        if arguments.contains("--any-address") { manager.downloader.addressPolicy = .any }

        let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port))
        await server.appendRoute("GET /thumbnail", to: ThumbnailHandler(manager: manager))
        let query = "url=https://example.com/photo.jpg&width=300&height=200"
        let example = "http://127.0.0.1:\(port)/thumbnail?\(query)\n"
        FileHandle.standardError.write(Data(example.utf8))
        try await server.run()
    }
}
