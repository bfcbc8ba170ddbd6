import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

/// A mock as tests of URLSession use it, unchanged.
private final class MockURLProtocol: URLProtocol {
    static let handler = Mutex<@Sendable (URLRequest) throws -> (HTTPURLResponse, Data)>({ _ in
        throw URLError(.badURL)
    })

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        do {
            let (response, data) = try Self.handler.withLock { $0 }(request)
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: data)
            client?.urlProtocolDidFinishLoading(self)
        } catch {
            client?.urlProtocol(self, didFailWithError: error)
        }
    }

    override func stopLoading() {}
}

@Suite(.serialized) struct URLProtocolTests {
    private func downloader() -> ImageDownloader {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self] + (configuration.protocolClasses ?? [])
        let downloader = ImageDownloader(name: "mocked")
        downloader.sessionConfiguration = configuration
        return downloader
    }

    private func answer(_ status: Int, _ data: Data = Data()) {
        MockURLProtocol.handler.withLock { handler in
            handler = { request in
                guard let url = request.url,
                    let response = HTTPURLResponse(
                        url: url, statusCode: status, httpVersion: nil, headerFields: nil)
                else { throw URLError(.badURL) }
                return (response, data)
            }
        }
    }

    @Test("A URLProtocol of the configuration replaces the network")
    func image() async throws {
        answer(200, try TestImages.png)
        let result = try await downloader().downloadImage(with: Bench.freshURL())
        #expect(result.image.size == TestImages.pngSize)
        #expect(result.metrics?.httpStatusCode == 200)
        #expect(result.metrics?.responseBodyBytesReceived == Int64(try TestImages.png.count))
    }

    @Test("A URLProtocol's status is treated like a server's", .behaviours("N-11"))
    func status() async throws {
        answer(404)
        let error = await #expect(throws: KingfisherError.self) {
            _ = try await downloader().downloadImage(with: Bench.freshURL())
        }
        #expect(error?.isInvalidResponseStatusCode(404) == true)
    }

    @Test("A URLProtocol's error is delivered unchanged", .behaviours("N-12"))
    func failure() async throws {
        MockURLProtocol.handler.withLock { $0 = { _ in throw NSError(domain: "mock", code: 42) } }
        let error = await #expect(throws: KingfisherError.self) {
            _ = try await downloader().downloadImage(with: Bench.freshURL())
        }
        guard case .responseError(.URLSessionError(let original)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((original as NSError).domain == "mock" && (original as NSError).code == 42)
    }
}
