import KingfisherTransport
import Testing

/// The classification of public addresses: the bounds of every range, and addresses that attackers use.
@Suite struct PublicAddressTests {
    /// The last address before a range, its first, its last, and the next one.
    @Test(
        arguments: [
            (nil, "0.0.0.0", "0.255.255.255", "1.0.0.0"),
            ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
            ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
            ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
            ("168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"),
            ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
            ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
            ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
            ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
            ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
            ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
            ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
            ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
            ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
            ("223.255.255.255", "224.0.0.0", "255.255.255.255", nil),
            (nil, "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"),
            (
                "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
                "2001:200::"
            ),
            (
                "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::",
                "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"
            ),
            (
                "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
                "3fff:1000::"
            ),
            (
                "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::",
                "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil
            ),
        ] as [(String?, String, String, String?)])
    func boundsOfRanges(before: String?, first: String, last: String, next: String?) throws {
        for outside in [before, next].compactMap(\.self) {
            #expect(try isPublic(outside), "\(outside)")
        }
        for inside in [first, last] { #expect(try !isPublic(inside), "\(inside)") }
    }

    @Test(arguments: [
        "8.8.8.8", "93.184.215.14", "192.31.196.1", "2606:4700:4700::1111", "2001:4860:4860::8888",
        "2a00:1450::1",
        // IPv4 embedded in IPv6: mapped, NAT64, 6to4, ISATAP with either bit.
        "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2606:4700::5efe:808:808",
        "2606:4700::200:5efe:808:808",
    ])
    func publicAddresses(_ text: String) throws { #expect(try isPublic(text)) }

    @Test(arguments: [
        // Services of the machine and of cloud providers.
        "127.0.0.1", "169.254.169.254", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "239.255.255.250",
        // Ranges that are not global unicast: loopback, IPv4-compatible, SIIT, local NAT64, discard,
        // segment routing, unique local, link-local, site-local, multicast.
        "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b:1::8.8.8.8", "64:ff9b::1:808:808",
        "100::1",
        "5f00::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1",
        // Teredo, benchmarking, both kinds of ORCHID, the anycast addresses of NAT services.
        "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1::1",
        "192.0.0.9",
        // Private IPv4 embedded in IPv6.
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::10.0.0.1",
        "64:ff9b::169.254.169.254", "2002:7f00:1::1", "2002:a00:1::", "2002:c0a8:101::1", "2002:a9fe:a9fe::",
        "2606:4700::5efe:a00:1", "2606:4700::200:5efe:c0a8:101", "2001:db8::5efe:808:808",
    ])
    func nonPublicAddresses(_ text: String) throws { #expect(try !isPublic(text)) }

    @Test func policiesDecideAboutAddresses() throws {
        let (inner, mapped) = (try address("10.0.0.1"), try address("::ffff:10.0.0.1"))
        #expect(AddressPolicy.any.allows(inner))
        let list = AddressPolicy.custom { $0 == inner }
        #expect(list.allows(inner) && list.allows(mapped), "both connect to the same host")
        #expect(try !list.allows(address("::10.0.0.1")))
        #expect(try !list.allows(address("10.0.0.2")))
    }

    @Test func networksContainAddresses() throws {
        let network = try #require(IPNetwork("10.1.2.0/23"))
        #expect(network.description == "10.1.2.0/23")
        #expect(try network.contains(address("10.1.3.255")))
        #expect(try !network.contains(address("10.1.4.0")))
        #expect(try !network.contains(address("::ffff:10.1.3.1")))
        #expect(try #require(IPNetwork("::/0")).contains(address("ff02::1")))
        for text in ["10.0.0.0", "10/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "::/129"]
        {
            #expect(IPNetwork(text) == nil)
        }
        #expect(IPAddress(bytes: [1, 2, 3]) == nil)
        #expect(IPAddress(bytes: [10, 0, 0, 1])?.description == "10.0.0.1")
    }

    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text), "\(text)") }

    private func isPublic(_ text: String) throws -> Bool {
        let address = try address(text)
        #expect(AddressPolicy.publicOnly.allows(address) == address.isPublic)
        return address.isPublic
    }
}
