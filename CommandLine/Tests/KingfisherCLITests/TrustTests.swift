import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

@Suite("--cacert")
struct TrustTests {
    private let tool = Tool()
    private let authority = Fixtures.url(named: "TLS/authority.pem").path

    @Test("get and info trust an authority of one's own when they are given it, and not otherwise")
    func authorityOfOnesOwn() async throws {
        let coffee = try Fixtures.data(named: "Photos/coffee.jpg")
        let server = try LoopbackServer(tls: ServerTLS()) { _ in .ok(coffee) }
        defer { server.stop() }
        let url = server.url("/coffee.jpg").absoluteString
        for command in [["get", url, "-o", "-", "--no-cache"], ["info", url]] {
            let refused = try await tool.run(command)
            #expect(refused.status == 1)
            #expect(refused.output.isEmpty)
            #expect(refused.errors.hasPrefix("kingfisher: \(url): nobody who is trusted vouches for"))
            #expect(server.requestCount() == 0)
        }
        let loaded = try await tool("get", url, "-o", "-", "--no-cache", "--cacert", authority)
        #expect(loaded.status == 0)
        #expect(loaded.output == coffee)
        let told = try await tool("info", url, "--cacert", authority)
        #expect(told.status == 0)
        #expect(told.lines.first?.contains("512 x 341 pixels") == true)
        #expect(server.requestCount() == 2)
    }

    @Test("A certificate that vouches for itself is trusted by its own file")
    func selfSigned() async throws {
        let coffee = try Fixtures.data(named: "Photos/coffee.jpg")
        let server = try LoopbackServer(tls: ServerTLS("self-signed")) { _ in .ok(coffee) }
        defer { server.stop() }
        let url = server.url("/coffee.jpg").absoluteString
        let refused = try await tool("get", url, "-o", "-", "--no-cache", "--cacert", authority)
        #expect(refused.status == 1)
        #expect(refused.errors.hasSuffix("--cacert FILE trusts it\n"))
        let itself = Fixtures.url(named: "TLS/self-signed.pem").path
        #expect(try await tool("get", url, "-o", "-", "--no-cache", "--cacert", itself).output == coffee)
    }

    @Test("The other checks stay: a certificate for another host, and one that has expired, are refused")
    func otherFaults() async throws {
        for fixture in ["wrong-host", "expired"] {
            let server = try LoopbackServer(tls: ServerTLS(fixture)) { _ in .ok(Data()) }
            defer { server.stop() }
            let url = server.url("/a.jpg").absoluteString
            #expect(try await tool("get", url, "--no-cache", "--cacert", authority).status == 1)
            #expect(server.requestCount() == 0)
        }
    }

    @Test("A file that is missing or holds no certificate is wrong usage, whatever the source")
    func noCertificate() async throws {
        let key = Fixtures.url(named: "TLS/client.key").path
        let image = Fixtures.url(named: "Photos/coffee.jpg").path
        for (file, reason) in [
            ("missing.pem", "there is no such file"), (key, "it holds no certificate in PEM"),
            (image, "it holds no certificate in PEM"), ("/", "it is a folder"),
        ] {
            let result = try await tool("get", image, "-o", "a.jpg", "--cacert", file, "--no-cache")
            #expect(result.status == 2)
            #expect(result.errors.contains(file) && result.errors.contains(reason))
            #expect(try tool.folder.names() == [])
        }
    }

    @Test("What only looks like a certificate is none")
    func looks() throws {
        let (begin, end) = ("-----BEGIN CERTIFICATE-----\n", "\n-----END CERTIFICATE-----\n")
        for text in ["", begin, begin + end, begin + "MIIB", begin + "aGVsbG8=" + end, begin + "%%%" + end] {
            #expect(!CertificateFile.holdsCertificate(Data(text.utf8)))
        }
        let real = try Fixtures.data(named: "TLS/authority.pem")
        #expect(CertificateFile.holdsCertificate(Data("Subject: an authority\n".utf8) + real))
        #expect(CertificateFile.holdsCertificate(Data((begin + end).utf8) + real))
    }
}
