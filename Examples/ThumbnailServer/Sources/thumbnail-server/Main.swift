import Hummingbird
import KingfisherServer
import KingfisherService
import Logging
import ServiceLifecycle
import UnixSignals

/// A web application with its own image server: the page http://127.0.0.1:8080/ shows a small version of the
/// image whose URL is the program's argument, which comes from port 8081.
@main enum Main {
    static func main() async throws {
        let source = CommandLine.arguments.dropFirst().first ?? "https://example.com/photo.jpg"
        let key = SigningKey((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        var settings = ServerSettings(urls: ServiceSettings(signing: .keys([key].compactMap(\.self))))
        settings.listen = .tcp(host: "127.0.0.1", port: 8_081)
        settings.adminListen = nil
        let path = try ServiceURLs(settings.urls).sign(path: "/fit:300x300/plain/\(source)")

        let router = Router()
        router.get("/") { _, _ in
            let page = #"<!doctype html><img src="http://127.0.0.1:8081\#(path)">"#
            return Response(
                status: .ok, headers: [.contentType: "text/html"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
        }
        let pages = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 8_080)))
        let services: [any Service] = [try ImageServer(settings), pages]
        try await ServiceGroup(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "thumbnail-server")
        ).run()
    }
}
