import Foundation
import Testing

@testable import KingfisherTransport

@Suite struct TLSSettingsTests {
    /// The certificate for `url` among those of `names`, by its name.
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

    /// Many hosts: the order of a dictionary is another one for each.
    @Test(arguments: 0..<32) func aCertificateNamedWithThePortGoesFirst(_ number: Int) throws {
        let host = "h\(number).test"
        #expect(try chosen("https://\(host)/", among: [host, "\(host):443"]) == "\(host):443")
        #expect(try chosen("https://\(host)/", among: [host, "\(host):8443"]) == host)
        #expect(try chosen("https://\(host):8443/", among: [host, "\(host):443"]) == nil)
        let spellings = [host.uppercased(), host]
        #expect(try chosen("https://\(host)/", among: spellings) == spellings.sorted().first)
    }

    @Test func anIPv6AddressMayStandInBrackets() throws {
        #expect(try chosen("https://[::1]/", among: ["::1", "[::1]:443"]) == "[::1]:443")
        #expect(try chosen("https://[::1]:8443/", among: ["[::1]", "[::1]:8443"]) == "[::1]:8443")
    }
}
