import Kingfisher

/// What counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, which is what one
/// customer usually gets.
struct ClientKey: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ address: IPAddress) {
        let bytes = address.bytes
        let isMapped =
            bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11] == [255, 255]
        self.bytes = isMapped ? Array(bytes.suffix(4)) : Array(bytes.prefix(bytes.count == 16 ? 8 : 4))
    }
}

/// Finds the client of a request behind proxies.
struct ClientAddresses: Sendable {
    let trustedProxies: [IPNetwork]

    /// The address of the client: of the connection, or, if it is a trusted proxy's, the last one in
    /// `X-Forwarded-For` that is not a trusted proxy's. Nil for a Unix domain socket without that field.
    ///
    /// A client can write the beginning of the field, and no proxy that is trusted can be passed off as one.
    func address(of connection: IPAddress?, forwarded: [String]) -> IPAddress? {
        guard connection.map(isTrusted) ?? true else { return connection }
        var client = connection
        let hops = forwarded.flatMap { $0.split(separator: ",") }
        for hop in hops.reversed() {
            guard let address = IPAddress(hop.trimmingPrefix { $0 == " " }.trimmingSuffixSpaces) else {
                break
            }
            client = address
            if !isTrusted(address) { break }
        }
        return client
    }

    private func isTrusted(_ address: IPAddress) -> Bool { trustedProxies.contains { $0.contains(address) } }
}

extension Substring {
    fileprivate var trimmingSuffixSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
