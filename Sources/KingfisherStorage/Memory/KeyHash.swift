import CXXHash

/// Hashes keys to 32 bits: half of the XXH3 of their UTF-8, under a secret that each cache draws at random.
///
/// Keys are often URLs of strangers. As with Swift's own seeded hash, which takes several times as long,
/// nobody who does not know the secret can prepare keys that collide. Unlike SipHash, XXH3 promises nothing
/// against somebody who times a great many lookups to learn the secret; what that would win are slower
/// lookups, never another key's value, because keys are compared in full.
@usableFromInline
struct KeyHash: ~Copyable, @unchecked Sendable {
    // Safe to send: the memory is written before anybody can read it, and freed with its only owner.
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

    /// The same for the same bytes of UTF-8.
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
