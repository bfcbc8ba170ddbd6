import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite struct StubTransportExample {
    @Test func aMissingImageIsAnError() async throws {
        let photo = try #require(URL(string: "https://photos.example/1.png"))
        let missing = try #require(URL(string: "https://photos.example/2.png"))
        let stub = StubTransport([photo: .ok(try Fixtures.data(named: "PNG/rgba8.png"))])
        let downloader = ImageDownloader(name: "test", transport: stub)

        let image = try await downloader.downloadImage(with: photo).image
        #expect(image.size == CGSize(width: 33, height: 21))

        let error = await #expect(throws: KingfisherError.self) {
            try await downloader.downloadImage(with: missing)
        }
        #expect(error?.isInvalidResponseStatusCode(404) == true)
        #expect(stub.requests.map(\.url) == [photo, missing])
    }

    @Test func twoCallersShareOneDownload() throws {
        let photo = try #require(URL(string: "https://photos.example/1.png"))
        let stub = StubTransport([photo: .ok(try Fixtures.data(named: "PNG/rgba8.png"))])
        let downloader = ImageDownloader(name: "test", transport: stub)

        // Both downloads start before the first response.
        stub.hold()
        let first = downloader.downloadImage(with: photo)
        let second = downloader.downloadImage(with: photo)
        #expect(first.sessionTask === second.sessionTask)
        stub.release()
        #expect(stub.requests.count == 1)
    }
}
