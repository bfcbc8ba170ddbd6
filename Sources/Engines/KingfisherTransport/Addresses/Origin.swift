package import Foundation

/// Scheme, host and port: the scope of connections and credentials (RFC 6454, 4). Scheme and host are in
/// lower case, and an IPv6 address has no brackets.
package struct Origin: Hashable, Sendable {
    package let scheme: String
    package let host: String
    package let port: Int

    init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    package init?(_ url: URL) {
        if let plain = Self.plain(url) {
            self = plain
            return
        }
        guard let scheme = url.scheme?.lowercased(), let endpoint = Endpoint(url) else { return nil }
        self.init(scheme: scheme, host: endpoint.host.lowercased(), port: endpoint.port)
    }

    /// The same origin for all spellings of a numeric address, such as `127.1` and `0x7f.1`, and for a name
    /// with and without a dot at its end.
    ///
    /// For counting only: connections and credentials belong to one spelling.
    var unified: Origin {
        var name = host
        guard name.withUTF8({ Self.mayBeRespelled($0) && !Self.isDottedDecimal($0) }) else { return self }
        if name.hasSuffix(".") { name.removeLast() }
        var address = in_addr()
        if inet_aton(name, &address) == 1 {
            name = withUnsafeBytes(of: address) { IPAddress(bytes: $0) }?.description ?? name
        } else if let address = IPAddress(name) {
            name = address.unmapped.description
        }
        return Origin(scheme: scheme, host: name, port: port)
    }

    /// Whether a host ends with a dot, has a number as its last label, or is an IPv6 address.
    private static func mayBeRespelled(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        guard host.last != UInt8(ascii: "."), !host.contains(UInt8(ascii: ":")) else { return true }
        let label = host.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? 0
        return label < host.count && (48...57).contains(host[label])
    }

    /// Whether a host is four decimal bytes without leading zeros, the spelling that others are converted to.
    /// `inet_aton` takes ten times as long.
    private static func isDottedDecimal(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        var (dots, value): (Int, Int?) = (0, nil)
        for byte in host {
            switch byte {
            case UInt8(ascii: ".") where value != nil: (dots, value) = (dots + 1, nil)
            case 48...57 where value != 0: value = (value ?? 0) * 10 + Int(byte - 48)
            default: return false
            }
            guard value ?? 0 < 256 else { return false }
        }
        return dots == 3 && value != nil
    }

    /// Parses a common URL (http or https with a lower-case ASCII host) without Foundation, which takes
    /// twelve times as long; nil for other URLs.
    static func plain(_ url: URL) -> Origin? {
        var text = url.absoluteString
        let parts = text.withUTF8 { bytes -> (isSecure: Bool, host: String, port: Int?)? in
            let isSecure = UnsafeRawBufferPointer(bytes).begins(with: "https://")
            guard isSecure || UnsafeRawBufferPointer(bytes).begins(with: "http://") else { return nil }
            let authority = bytes.dropFirst(isSecure ? 8 : 7).prefix { !Self.endsAuthority($0) }
            let host = authority.prefix { $0 != UInt8(ascii: ":") }
            guard !host.isEmpty, isPlain(host) else { return nil }
            let name = String(decoding: host, as: UTF8.self)
            if host.endIndex == authority.endIndex { return (isSecure, name, nil) }
            let digits = authority[(host.endIndex + 1)...]
            guard (1...5).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else {
                return nil
            }
            return (isSecure, name, digits.reduce(0) { $0 * 10 + Int($1 - 48) })
        }
        guard let parts else { return nil }
        return Origin(
            scheme: parts.isSecure ? "https" : "http", host: parts.host,
            port: parts.port ?? (parts.isSecure ? 443 : 80))
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Whether the host consists of lower-case letters, digits, dots and hyphens. Two hyphens may start an
    /// internationalized name, which has another spelling.
    private static func isPlain(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var last: UInt8 = 0
        for byte in host {
            switch byte {
            case 97...122, 48...57, UInt8(ascii: "."): break
            case UInt8(ascii: "-") where last != byte: break
            default: return false
            }
            last = byte
        }
        return true
    }
}
