/// A block of addresses with a common prefix, such as `10.0.0.0/8` or `2001:db8::/32` (RFC 4632, RFC 4291).
public struct IPNetwork: Sendable, Hashable, CustomStringConvertible {
    /// An address in the block; bits after the prefix are ignored.
    public let address: IPAddress

    /// The number of leading bits that all addresses have in common.
    public let prefixLength: Int

    /// Parses an address, a slash and a prefix length. Returns `nil` for other text, or if the length exceeds
    /// the address.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])), let length = Int(parts[1]),
            (0...address.bytes.count * 8).contains(length)
        else { return nil }
        self.address = address
        prefixLength = length
    }

    /// Whether the block contains an address. An address of the other family is never contained.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        return address.bytes.indices.allSatisfy { index in
            let significant = min(max(prefixLength - index * 8, 0), 8)
            return (address.bytes[index] ^ other.bytes[index]) >> (8 - significant) == 0
        }
    }

    public var description: String { "\(address)/\(prefixLength)" }
}
