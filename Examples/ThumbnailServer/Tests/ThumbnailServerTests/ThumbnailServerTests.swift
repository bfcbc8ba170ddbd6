import FlyingFox
import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import ThumbnailServer

@Suite struct ThumbnailRequestTests {
    @Test(arguments: [
        ["url": "https://example.com/a.jpg", "width": "10"],
        ["url": "https://example.com/a.jpg", "width": "0", "height": "10"],
        ["url": "https://example.com/a.jpg", "width": "10", "height": "2049"],
        ["url": "https://example.com/a.jpg", "width": "ten", "height": "10"],
        ["url": "file:///etc/passwd", "width": "10", "height": "10"],
        ["url": "https:///a.jpg", "width": "10", "height": "10"],
        ["width": "10", "height": "10"],
    ])
    func refuses(_ query: [String: String]) {
        #expect(ThumbnailRequest(query: query.map { ($0.key, $0.value) }) == nil)
    }
}

@Suite struct ThumbnailServerTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    /// The picture as a client gets it.
    private func answer(_ handler: ThumbnailHandler, _ source: URL, side: Int) async throws -> HTTPResponse {
        let query = [("url", source.absoluteString), ("width", "\(side)"), ("height", "\(side)")]
        return try await handler.handleRequest(
            HTTPRequest(
                method: .GET, version: .http11, path: "/thumbnail",
                query: query.map { HTTPRequest.QueryItem(name: $0.0, value: $0.1) }, headers: [:],
                body: Data()))
    }

    private func handler(anyAddress: Bool = true) throws -> ThumbnailHandler {
        let manager = KingfisherManager.forServers(
            cache: try ImageCache(name: "thumbnails", cacheDirectoryURL: folder))
        if anyAddress { manager.downloader.addressPolicy = .any }
        return ThumbnailHandler(manager: manager)
    }

    @Test func servesThumbnailsAndAsksTheirSourceOnce() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let png = try Fixtures.data(named: "PNG/rgba8.png")
        let pictures = try LoopbackServer { _ in .ok(png) }
        defer { pictures.stop() }
        let handler = try handler()
        for _ in 0..<3 {
            let response = try await answer(handler, pictures.url("/photo.png"), side: 16)
            #expect(response.statusCode == .ok)
            #expect(response.headers[.contentType] == "image/png")
            let picture = try #require(Image(data: try await response.bodyData))
            #expect(max(picture.size.width, picture.size.height) == 16)
        }
        #expect(pictures.requestCount() == 1)
    }

    @Test func saysWhatWentWrong() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let pictures = try LoopbackServer { request in
            request.path == "/text" ? .ok(Data("no picture".utf8)) : .status(404)
        }
        defer { pictures.stop() }
        let handler = try handler()
        let missing = try await answer(handler, pictures.url("/missing"), side: 16)
        #expect(missing.statusCode == .notFound)
        let text = try await answer(handler, pictures.url("/text"), side: 16)
        #expect(text.statusCode == .unsupportedMediaType)
        let inner = try await answer(try self.handler(anyAddress: false), pictures.url("/photo"), side: 16)
        #expect(inner.statusCode == .badGateway)
        #expect(pictures.requestCount("/photo") == 0)
    }
}
