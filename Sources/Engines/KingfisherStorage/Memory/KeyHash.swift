import CXXHash

/// Hashes keys to 32 bits: half of the XXH3 of their UTF-8, with a random secret per cache.
///
/// Keys are often untrusted URLs. As with Swift's own seeded hash, which takes several times as long,
/// colliding keys cannot be prepared without the secret. Unlike SipHash, XXH3 does not resist an attacker who
/// learns the secret by timing many lookups. The effect would be slower lookups, never the value of another
/// key, because keys are compared in full.
@usableFromInline
struct KeyHash: ~Copyable, @unchecked Sendable {
    // Safe to send: the memory is initialized before it is shared and freed with its only owner.
    private let secret: UnsafeMutablePointer<UInt64>
    private static let secretWords = 24

    init() {
        var random = SystemRandomNumberGenerator()
        secret = .allocate(capacity: Self.secretWords)
        for word in 0..<Self.secretWords { (secret + word).initialize(to: random.next()) }
        assert(Self.secretWords * MemoryLayout<UInt64>.size >= XXH3_SECRET_SIZE_MIN)
    }

    deinit {
        secret.deallocate()
    }

    @usableFromInline
    func callAsFunction(_ key: String) -> UInt32 {
        let hash = key.utf8.withContiguousStorageIfAvailable { bytes in
            UInt32(
                truncatingIfNeeded: XXH3_64bits_withSecret(
                    bytes.baseAddress, bytes.count, secret, Self.secretWords * MemoryLayout<UInt64>.size))
        }
        if let hash { return hash }
        var native = key
        native.makeContiguousUTF8()
        return self(native)
    }
}
