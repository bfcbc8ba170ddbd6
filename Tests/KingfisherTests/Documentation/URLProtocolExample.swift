import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Answers every request with the same image.
final class ImageProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "photos.example" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, let image = try? Fixtures.data(named: "PNG/rgba8.png"),
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: image)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

@Suite struct URLProtocolExample {
    @Test func aProtocolAnswers() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [ImageProtocol.self]
        let downloader = ImageDownloader(name: "test")
        downloader.sessionConfiguration = configuration

        let photo = try #require(URL(string: "https://photos.example/1.png"))
        let image = try await downloader.downloadImage(with: photo).image
        #expect(image.size == CGSize(width: 33, height: 21))
    }
}
