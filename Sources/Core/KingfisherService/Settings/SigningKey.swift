/// A secret with which URLs of the service are signed.
public struct SigningKey: Hashable, Sendable {
    let bytes: [UInt8]

    /// Creates a key; nil if it has fewer than 32 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= 32 else { return nil }
        self.bytes = bytes
    }
}
