import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherService

/// Signed URLs through nginx, with the directive that its page of a service needs: `proxy_pass` without a
/// URI.
@Suite struct NginxTests {
    /// Spellings of sources, percent-encoded once or not at all where a client may send them so.
    private static var sources: [String] {
        let spellings = SourceSpellingTests.paths.map(\.0) + SourceSpellingTests.hosts.map(\.0)
        let encoded = spellings.map { PercentEncoding.encode($0) { URLBytes.isPathByte($0) || $0 == 0x2F } }
        let raw = [
            "https:/e.com/a.jpg", "https%3A%2F%2Fe.com%2Fa.jpg", "https://e.com//a//b.jpg",
            "https://e.com/a%2Fb%2fc.jpg", "https://e.com/a+b;c=d,e.jpg", "https://e.com/%2e%2E/a.jpg",
            "https://e.com/a%00b.jpg", "https://e.com/%E4%B8%AD.jpg", "https://e.com/./a/../b.jpg",
        ]
        return encoded + raw
    }

    private func read(_ path: String, _ urls: ServiceURLs) -> Result<ServiceRequest, ServiceError> {
        Result { () throws(ServiceError) in try urls.request(path: path, now: NativeFixture.now) }
    }

    @Test func `A path arrives as it was sent, and is read as without nginx`() async throws {
        let service = try LoopbackServer { _ in .ok(Data("x".utf8)) }
        defer { service.stop() }
        let target = "http://127.0.0.1:\(service.url("/").port ?? 0)"
        let nginx = try await NginxServer("location / { proxy_pass \(target); }", tls: false)
        defer { nginx.stop() }
        let urls = try ServiceURLs(NativeFixture().settings)
        var refused = 0
        #expect(Self.sources.count >= 59)
        for source in Self.sources {
            let path = try urls.sign(path: "/fit:300x200/plain/\(source)")
            let before = service.requests.count
            let client = try AttackClient(port: Int(nginx.port))
            client.send(path)
            let status = client.reply(within: .seconds(10))?.status
            guard status == 200 else {
                // nginx refuses some escapes and dot segments itself.
                #expect(status == 400 && service.requests.count == before, "\(path)")
                refused += 1
                continue
            }
            #expect(service.requests.last?.target == path)
            let received = service.requests.last?.target ?? ""
            #expect(read(received, urls) == read(path, urls))
        }
        #expect(refused < 6)
    }
}
