import Kingfisher
import KingfisherService
import Testing

@testable import KingfisherServer

/// URLs that are not read again.
@Suite struct KnownURLsTests {
    private func urls() throws -> (urls: ServiceURLs, known: KnownURLs) {
        let key = try #require(SigningKey([UInt8](repeating: 7, count: 32)))
        let urls = try ServiceURLs(ServiceSettings(signing: .keys([key])))
        return (urls, KnownURLs(urls))
    }

    @Test func `A known URL gives the request that was read, and a changed one is refused`() throws {
        let (urls, known) = try urls()
        let path = try urls.sign(path: "/fit:9x9/plain/https://e.com/a.jpg")
        let first = try known.request(path: path, query: nil, now: 0)
        #expect(try known.request(path: path, query: nil, now: 0) == first)
        #expect(try urls.request(path: path, now: 0) == first)
        for other in [path + "x", path.replacing("fit:9x9", with: "fit:8x9"), "/x" + path.dropFirst(2)] {
            for _ in 0..<2 {
                #expect(throws: ServiceError.invalidSignature) {
                    try known.request(path: other, query: nil, now: 0)
                }
            }
        }
        #expect(throws: ServiceError.self) { try known.request(path: path, query: "w=1", now: 0) }
    }

    @Test func `A URL that expires is read each time`() throws {
        let (urls, known) = try urls()
        let path = try urls.sign(path: "/expires:100/plain/https://e.com/a.jpg")
        #expect(try known.request(path: path, query: nil, now: 100).options.expires == 100)
        #expect { try known.request(path: path, query: nil, now: 101) } throws: {
            ($0 as? ServiceError)?.status == 410
        }
    }
}
