import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

@Suite("--cacert")
struct TrustTests {
    private let tool = Tool()
    private let authority = Fixtures.url(named: "TLS/authority.pem").path

    @Test("get and info trust a private authority only with --cacert")
    func privateAuthority() async throws {
        let coffee = try Fixtures.data(named: "Photos/coffee.jpg")
        let server = try LoopbackServer(tls: ServerTLS()) { _ in .ok(coffee) }
        defer { server.stop() }
        let url = server.url("/coffee.jpg").absoluteString
        for command in [["get", url, "-o", "-", "--no-cache"], ["info", url]] {
            let refused = try await tool.run(command)
            #expect(refused.status == 1)
            #expect(refused.output.isEmpty)
            #expect(refused.errors.hasPrefix("kingfisher: \(url): the server's certificate is not signed by"))
            #expect(server.requestCount() == 0)
        }
        let loaded = try await tool("get", url, "-o", "-", "--no-cache", "--cacert", authority)
        #expect(loaded.status == 0)
        #expect(loaded.output == coffee)
        let described = try await tool("info", url, "--cacert", authority)
        #expect(described.status == 0)
        #expect(described.lines.first?.contains("512 x 341 pixels") == true)
        #expect(server.requestCount() == 2)
    }

    @Test("A self-signed certificate is trusted with its own file")
    func selfSigned() async throws {
        let coffee = try Fixtures.data(named: "Photos/coffee.jpg")
        let server = try LoopbackServer(tls: ServerTLS("self-signed")) { _ in .ok(coffee) }
        defer { server.stop() }
        let url = server.url("/coffee.jpg").absoluteString
        let refused = try await tool("get", url, "-o", "-", "--no-cache", "--cacert", authority)
        #expect(refused.status == 1)
        #expect(refused.errors.hasSuffix("trust it with --cacert FILE\n"))
        let itself = Fixtures.url(named: "TLS/self-signed.pem").path
        #expect(try await tool("get", url, "-o", "-", "--no-cache", "--cacert", itself).output == coffee)
    }

    @Test("A certificate for another host and an expired one are refused despite --cacert")
    func otherFaults() async throws {
        for fixture in ["wrong-host", "expired"] {
            let server = try LoopbackServer(tls: ServerTLS(fixture)) { _ in .ok(Data()) }
            defer { server.stop() }
            let url = server.url("/a.jpg").absoluteString
            #expect(try await tool("get", url, "--no-cache", "--cacert", authority).status == 1)
            #expect(server.requestCount() == 0)
        }
    }

    @Test("A missing file or one without a certificate is wrong usage")
    func noCertificate() async throws {
        let key = Fixtures.url(named: "TLS/client.key").path
        let image = Fixtures.url(named: "Photos/coffee.jpg").path
        for (file, reason) in [
            ("missing.pem", "no such file"), (key, "the file contains no PEM certificate"),
            (image, "the file contains no PEM certificate"), ("/", "it is a folder"),
        ] {
            let result = try await tool("get", image, "-o", "a.jpg", "--cacert", file, "--no-cache")
            #expect(result.status == 2)
            #expect(result.errors.contains(file) && result.errors.contains(reason))
            #expect(try tool.folder.names() == [])
        }
    }

    @Test("Malformed certificates are not recognised")
    func malformed() throws {
        let (begin, end) = ("-----BEGIN CERTIFICATE-----\n", "\n-----END CERTIFICATE-----\n")
        for text in ["", begin, begin + end, begin + "MIIB", begin + "aGVsbG8=" + end, begin + "%%%" + end] {
            #expect(!CertificateFile.holdsCertificate(Data(text.utf8)))
        }
        let real = try Fixtures.data(named: "TLS/authority.pem")
        #expect(CertificateFile.holdsCertificate(Data("Subject: an authority\n".utf8) + real))
        #expect(CertificateFile.holdsCertificate(Data((begin + end).utf8) + real))
    }
}
