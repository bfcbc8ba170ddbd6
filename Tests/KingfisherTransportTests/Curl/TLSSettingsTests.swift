import Foundation
import Testing

@testable import KingfisherTransport

@Suite struct TLSSettingsTests {
    /// The name of the certificate for `url`, among certificates for `names`.
    private func chosen(_ url: String, among names: [String]) throws -> String? {
        var configuration = TLSConfiguration()
        for name in names {
            configuration.clientCertificates[name] = ClientCertificate(
                chain: Data(name.utf8), privateKey: Data())
        }
        let server = try #require(URL(string: url).flatMap { Origin($0) })
        let settings = TLSSettings(configuration, for: server)
        return (settings?.clientCertificate?.chain).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Repeated for many hosts, because the order of a dictionary is random.
    @Test(arguments: 0..<32) func certificateForThePortIsPreferred(_ number: Int) throws {
        let host = "h\(number).test"
        #expect(try chosen("https://\(host)/", among: [host, "\(host):443"]) == "\(host):443")
        #expect(try chosen("https://\(host)/", among: [host, "\(host):8443"]) == host)
        #expect(try chosen("https://\(host):8443/", among: [host, "\(host):443"]) == nil)
        let spellings = [host.uppercased(), host]
        #expect(try chosen("https://\(host)/", among: spellings) == spellings.sorted().first)
    }

    @Test func ipv6AddressMayBeInBrackets() throws {
        #expect(try chosen("https://[::1]/", among: ["::1", "[::1]:443"]) == "[::1]:443")
        #expect(try chosen("https://[::1]:8443/", among: ["[::1]", "[::1]:8443"]) == "[::1]:8443")
    }
}
