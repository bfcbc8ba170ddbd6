import CCurl
import Foundation

/// A numeric IPv4 or IPv6 address.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    public let bytes: [UInt8]

    /// The canonical text, without brackets.
    public let description: String

    /// Whether the address has 16 bytes.
    public var isIPv6: Bool { bytes.count == 16 }

    /// Parses dotted IPv4 or colon-separated IPv6, without brackets or zone. Other text, including shorthand
    /// such as `127.1`, gives `nil`.
    public init?(_ text: String) {
        var address = in6_addr()
        if inet_pton(AF_INET, text, &address) == 1 {
            self.init(bytes: withUnsafeBytes(of: &address) { Array($0.prefix(4)) })
        } else if inet_pton(AF_INET6, text, &address) == 1 {
            self.init(bytes: withUnsafeBytes(of: &address) { Array($0) })
        } else {
            return nil
        }
    }

    /// Creates an address from 4 or 16 bytes in network order; `nil` for any other number.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let bytes = Array(bytes)
        var canonical = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 16 ? AF_INET6 : AF_INET
        let isWritten = bytes.withUnsafeBytes { raw in
            inet_ntop(family, raw.baseAddress, &canonical, socklen_t(canonical.count)) != nil
        }
        guard isWritten else { return nil }
        self.bytes = bytes
        description = String(
            decoding: canonical.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let value = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(bytes: withUnsafeBytes(of: value) { Array($0) })
        case AF_INET6:
            let value = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(bytes: withUnsafeBytes(of: value) { Array($0) })
        default:
            return nil
        }
    }
}
