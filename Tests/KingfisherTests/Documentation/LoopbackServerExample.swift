import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite struct LoopbackServerExample {
    @Test func aBrokenBodyIsAnError() async throws {
        let photo = try Fixtures.data(named: "PNG/rgba8.png")
        let server = try LoopbackServer { request in
            switch request.path {
            case "/whole.png": .ok(photo)
            case "/moved.png": .redirect(to: "/whole.png")
            case "/slow.png": ServerResponse.ok(photo).dripping(64, every: .milliseconds(1))
            default: .lying(photo.dropLast(100), announcing: "\(photo.count)")
            }
        }
        defer { server.stop() }
        let downloader = ImageDownloader(name: "test")

        for path in ["/whole.png", "/moved.png", "/slow.png"] {
            let result = try await downloader.downloadImage(with: server.url(path))
            #expect(result.originalData == photo)
        }
        await #expect(throws: KingfisherError.self) {
            try await downloader.downloadImage(with: server.url("/broken.png"))
        }
    }
}
