import Foundation
import FoundationNetworking
import Hummingbird
import Kingfisher
import KingfisherService
import KingfisherTestSupport
import ServiceLifecycle
import Testing

@testable import SignedImages

/// Signed URL in, image out.
@Suite struct SignedImagesTests {
    private let urls: ServiceURLs

    init() throws {
        let key = try #require(SigningKey([UInt8](repeating: 7, count: 32)))
        urls = try ServiceURLs(ServiceSettings(signing: .keys([key])))
    }

    private func served(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = try ImageCache(name: "signed", cacheDirectoryURL: folder)
        let manager = KingfisherManager(downloader: ImageDownloader(name: "signed"), cache: cache)
        let negotiation = FormatNegotiation(registered: [.PNG])
        let rules = ServiceResponseRules(ServiceResponseSettings(negotiation: negotiation))
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let application = Application(
            responder: SignedImages(urls: urls, negotiation: negotiation, rules: rules, manager: manager),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) })
        let group = ServiceGroup(services: [application], logger: application.logger)
        let task = Task { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(try #require(URL(string: "http://127.0.0.1:\(port)"))))
        } catch {
            outcome = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await task.value
        try outcome.get()
    }

    private func get(
        _ path: String, of server: URL, _ method: String = "GET", _ fields: [String: String] = [:]
    ) async throws -> (response: HTTPURLResponse, body: Data) {
        var request = URLRequest(url: try #require(URL(string: server.absoluteString + path)))
        (request.httpMethod, request.cachePolicy) = (method, .reloadIgnoringLocalCacheData)
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let (body, response) = try await URLSession.shared.data(for: request)
        return (try #require(response as? HTTPURLResponse), body)
    }

    @Test func `A signed URL gives the image, with tag, variance, ranges and 304`() async throws {
        let photo = try Fixtures.data(named: "Photos/chelsea.jpg")
        let origin = try LoopbackServer { _ in .ok(photo) }
        defer { origin.stop() }
        try await served { server in
            let path = try urls.sign(path: "/fit:64x64/plain/\(origin.url("/cat.jpg").absoluteString)")
            let (response, body) = try await get(path, of: server)
            let image = try #require(Image(data: body))
            #expect(response.statusCode == 200 && max(image.size.width, image.size.height) == 64)
            #expect(response.value(forHTTPHeaderField: "Content-Type") == "image/jpeg")
            #expect(response.value(forHTTPHeaderField: "Vary") == "Accept")
            let tag = try #require(response.value(forHTTPHeaderField: "ETag"))

            let same = try await get(path, of: server, "GET", ["If-None-Match": tag])
            #expect(same.response.statusCode == 304 && same.body.isEmpty)
            #expect(same.response.value(forHTTPHeaderField: "Vary") == "Accept")

            let part = try await get(path, of: server, "GET", ["Range": "bytes=2-9", "If-Range": tag])
            #expect(part.response.statusCode == 206 && part.body == body.dropFirst(2).prefix(8))

            let head = try await get(path, of: server, "HEAD")
            #expect(head.response.statusCode == 200 && head.body.isEmpty)
            #expect(head.response.value(forHTTPHeaderField: "Content-Length") == "\(body.count)")

            let png = try await get(path, of: server, "GET", ["Accept": "image/png"])
            #expect(png.body.kf.imageFormat == .PNG)
            // The original is in the cache.
            #expect(origin.requestCount() == 1)
        }
    }

    @Test func `A URL without a valid signature is refused before its source is asked`() async throws {
        let origin = try LoopbackServer { _ in .status(404) }
        defer { origin.stop() }
        try await served { server in
            let path = try urls.sign(path: "/fit:64x64/plain/\(origin.url("/cat.jpg").absoluteString)")
            let changed = path.replacing("fit:64x64", with: "fit:65x64")
            for method in ["GET", "HEAD"] {
                #expect(try await get(changed, of: server, method).response.statusCode == 403)
            }
            #expect(origin.requestCount() == 0)
            let missing = try await get(path, of: server)
            #expect(missing.response.statusCode == 404)
            #expect(missing.response.value(forHTTPHeaderField: "Cache-Control") == "max-age=10")
        }
    }
}
