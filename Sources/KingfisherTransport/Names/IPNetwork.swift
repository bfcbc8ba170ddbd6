/// A block of addresses that share their first bits, as `10.0.0.0/8` or `2001:db8::/32` (RFC 4632, RFC 4291).
public struct IPNetwork: Sendable, Hashable, CustomStringConvertible {
    /// An address of the block; bits after the prefix do not count.
    public let address: IPAddress

    /// How many leading bits the addresses share.
    public let prefixLength: Int

    /// Parses an address, a slash and a number of bits; anything else is `nil`, as are more bits than the
    /// address has.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])), let length = Int(parts[1]),
            (0...address.bytes.count * 8).contains(length)
        else { return nil }
        self.address = address
        prefixLength = length
    }

    /// Whether an address of the same family lies in the block.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        return address.bytes.indices.allSatisfy { index in
            let significant = min(max(prefixLength - index * 8, 0), 8)
            return (address.bytes[index] ^ other.bytes[index]) >> (8 - significant) == 0
        }
    }

    public var description: String { "\(address)/\(prefixLength)" }
}
