import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite struct DownloaderSecurityTests {
    private let downloader = ImageDownloader(name: "security")

    /// The transport's reason for a failed download, and the code of its `URLError`.
    private func failure(
        _ url: URL, by downloader: ImageDownloader? = nil
    ) async throws -> (TransportError?, URLError.Code) {
        let downloader = downloader ?? self.downloader
        let error = await #expect(throws: KingfisherError.self) {
            try await downloader.downloadImage(with: url)
        }
        guard case .responseError(.URLSessionError(let reason)) = error, let reason = reason as? URLError
        else {
            Issue.record("\(String(describing: error))")
            return (nil, .unknown)
        }
        return (reason.userInfo[NSUnderlyingErrorKey] as? TransportError, reason.code)
    }

    @Test("The address policy applies to downloads started after it was set and to their redirects")
    func addressPolicy() async throws {
        let png = try TestImages.png
        let server = try LoopbackServer { request in
            request.path == "/away" ? .redirect(to: "http://127.0.0.2/") : .ok(png)
        }
        defer { server.stop() }
        #expect(try await downloader.downloadImage(with: server.url()).originalData == png)
        downloader.addressPolicy = .publicOnly
        let (error, code) = try await failure(server.url())
        guard case .addressRefused = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(code == .cannotConnectToHost)
        downloader.addressPolicy = .custom { $0.description == "127.0.0.1" }
        #expect(try await downloader.downloadImage(with: server.url()).originalData == png)
        let (redirected, _) = try await failure(server.url("/away"))
        #expect(redirected == .addressRefused("127.0.0.2"))
        #expect(server.requestCount() == 3)
    }

    @Test("trustedHosts disables verification for its hosts until it is reset")
    func trustedHosts() async throws {
        let png = try TestImages.png
        let server = try LoopbackServer(tls: ServerTLS("self-signed")) { _ in .ok(png) }
        defer { server.stop() }
        #expect(downloader.trustedHosts == nil)
        #expect(try await failure(server.url()).1 == .serverCertificateUntrusted)
        downloader.trustedHosts = ["127.0.0.1"]
        #expect(downloader.tlsConfiguration.trustedHosts == ["127.0.0.1"])
        let result = try await downloader.downloadImage(with: server.url())
        #expect(result.originalData == png)
        #expect(result.metrics?.secureConnectionDuration ?? 0 > 0)
        downloader.trustedHosts = nil
        #expect(try await failure(server.url()).1 == .serverCertificateUntrusted)
    }

    @Test("A custom trust anchor and a client certificate are used")
    func certificates() async throws {
        let png = try TestImages.png
        var tls = ServerTLS()
        tls.clientAuthority = Fixtures.url(named: "TLS/client-authority.pem")
        let server = try LoopbackServer(tls: tls) { _ in .ok(png) }
        defer { server.stop() }
        #expect(try await failure(server.url()).1 == .serverCertificateHasUnknownRoot)
        downloader.tlsConfiguration.certificateAuthorities = [try Fixtures.data(named: "TLS/authority.pem")]
        #expect(try await failure(server.url()).1 == .clientCertificateRequired)
        downloader.tlsConfiguration.clientCertificates["127.0.0.1:\(server.port)"] = try ClientCertificate(
            chainFile: Fixtures.url(named: "TLS/client-chain.pem"),
            privateKeyFile: Fixtures.url(named: "TLS/client.key"))
        #expect(try await downloader.downloadImage(with: server.url()).originalData == png)
        #expect(server.requests.map(\.clientName) == ["reader"])
    }

    @Test("A body longer than the downloader's limit is refused, announced or not")
    func maxBodyBytes() async throws {
        let png = try TestImages.png
        let server = try LoopbackServer { request in
            request.path == "/chunked" ? .chunked([png.prefix(50), png.dropFirst(50)]) : .ok(png)
        }
        defer { server.stop() }
        #expect(downloader.maxBodyBytes == 64 << 20)
        downloader.maxBodyBytes = png.count - 1
        for path in ["/", "/chunked"] {
            let (error, code) = try await failure(server.url(path))
            #expect(error == .bodyTooLarge(limit: png.count - 1) && code == .dataLengthExceedsMaximum)
        }
        downloader.maxBodyBytes = png.count
        for path in ["/", "/chunked"] {
            #expect(try await downloader.downloadImage(with: server.url(path)).originalData == png)
        }
    }
}
