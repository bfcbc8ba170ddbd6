extension IPAddress {
    /// Whether the address belongs to the public Internet.
    ///
    /// An address is public unless IANA's special-purpose registries (RFC 6890, with the entries of later
    /// RFCs) reserve it; of IPv6, only global unicast, 2000::/3, is public. An IPv6 address that represents
    /// an IPv4 address is public if that address is. Special addresses that the registries call globally
    /// reachable, such as anycast addresses of NAT services, are not public here if they are inside a
    /// reserved block: no images are served there.
    ///
    /// The check cannot recognize a host's own public addresses, and private IPv4 addresses behind a
    /// translator with an operator-specific prefix (RFC 6052, 2.2).
    public var isPublic: Bool {
        guard isIPv6 else { return !SpecialPurpose.ipv4.contains { $0.contains(self) } }
        if let embedded = embeddedIPv4, !embedded.isPublic { return false }
        if SpecialPurpose.translated.contains(where: { $0.contains(self) }) { return true }
        return SpecialPurpose.globalUnicast.contains { $0.contains(self) }
            && !SpecialPurpose.ipv6.contains { $0.contains(self) }
    }

    /// The IPv4 address of an IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2), which the system connects to by
    /// IPv4; otherwise the address itself.
    var unmapped: IPAddress {
        isIPv6 && bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]) ? embeddedIPv4 ?? self : self
    }

    /// The IPv4 address to which a translator, a tunnel or the system converts this IPv6 address.
    private var embeddedIPv4: IPAddress? {
        if SpecialPurpose.translated.contains(where: { $0.contains(self) }) {
            return IPAddress(bytes: bytes[12...])
        }
        // 6to4, RFC 3056, 2.
        if bytes.starts(with: [0x20, 0x02]) { return IPAddress(bytes: bytes[2..<6]) }
        // An ISATAP interface identifier, RFC 5214, 6.1; bit 0x02 tells whether the IPv4 address is globally
        // unique.
        if bytes[8] & ~0x02 == 0, bytes[9...].starts(with: [0x00, 0x5e, 0xfe]) {
            return IPAddress(bytes: bytes[12...])
        }
        return nil
    }
}

/// The parts of IANA's special-purpose registries that are not in the public Internet.
private enum SpecialPurpose {
    static let ipv4 = networks([
        "0.0.0.0/8",  // this network, RFC 791
        "10.0.0.0/8",  // private, RFC 1918
        "100.64.0.0/10",  // carrier-grade NAT, RFC 6598
        "127.0.0.0/8",  // loopback, RFC 1122
        // Registered as public, but Azure's platform uses it inside each virtual machine.
        "168.63.129.16/32",
        "169.254.0.0/16",  // link-local, RFC 3927; cloud metadata services serve credentials there
        "172.16.0.0/12",  // private, RFC 1918
        "192.0.0.0/24",  // IETF protocol assignments, RFC 6890
        "192.0.2.0/24",  // documentation, RFC 5737
        "192.88.99.0/24",  // 6to4 relays, RFC 7526
        "192.168.0.0/16",  // private, RFC 1918
        "198.18.0.0/15",  // benchmarking, RFC 2544
        "198.51.100.0/24",  // documentation, RFC 5737
        "203.0.113.0/24",  // documentation, RFC 5737
        "224.0.0.0/4",  // multicast, RFC 5771
        "240.0.0.0/4",  // reserved, RFC 1112, and limited broadcast, RFC 8190
    ])

    /// All other addresses are unassigned or special: unspecified, loopback and IPv4-compatible (RFC 4291),
    /// local translation 64:ff9b:1::/48 (RFC 8215; the operator chooses the position of the IPv4 part),
    /// discard-only 100::/64 (RFC 6666), segment routing 5f00::/16 (RFC 9602), unique local fc00::/7 (RFC
    /// 4193), link-local fe80::/10, site-local fec0::/10 (RFC 3879), multicast ff00::/8.
    static let globalUnicast = networks(["2000::/3"])  // RFC 4291, 2.4

    static let ipv6 = networks([
        // IETF protocol assignments, RFC 2928: Teredo 2001::/32 (RFC 4380), benchmarking 2001:2::/48 (RFC
        // 5180), ORCHID 2001:10::/28 (RFC 4843) and 2001:20::/28 (RFC 7343), drone identifiers 2001:30::/28
        // (RFC 9374).
        "2001::/23",
        "2001:db8::/32",  // documentation, RFC 3849
        "3fff::/20",  // documentation, RFC 9637
    ])

    /// IPv6 prefixes whose addresses contain an IPv4 address in the last 32 bits.
    static let translated = networks([
        "::ffff:0:0/96",  // IPv4-mapped, RFC 4291
        "64:ff9b::/96",  // NAT64, RFC 6052
    ])

    private static func networks(_ list: [String]) -> [IPNetwork] { list.compactMap { IPNetwork($0) } }
}
