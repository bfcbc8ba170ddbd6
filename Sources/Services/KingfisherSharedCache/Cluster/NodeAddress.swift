/// The host and port of a node.
public struct NodeAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name, or an address without brackets.
    public let host: String
    /// From 1 to 65,535.
    public let port: Int

    /// Makes an address; nil if the host is empty, longer than 255 bytes or has other characters than names
    /// and addresses have, or if the port is not in 1 to 65,535.
    public init?(host: String, port: Int) {
        let isHost = host.utf8.allSatisfy { byte in
            (0x30...0x3A).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "%")].contains(byte)
        }
        guard isHost, (1...255).contains(host.utf8.count), (1...65535).contains(port) else { return nil }
        (self.host, self.port) = (host, port)
    }

    /// Reads `host:port`, where the host may be an IPv6 address with or without brackets. An empty host, as
    /// in redirections of a node that does not know its name, is `unnamed`.
    init?(_ text: some StringProtocol, unnamed: String? = nil) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host.isEmpty, let unnamed { host = unnamed }
        self.init(host: host, port: port)
    }

    /// `host:port`, with brackets around an IPv6 address.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
