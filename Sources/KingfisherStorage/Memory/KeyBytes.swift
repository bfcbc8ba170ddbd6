import CLinux

/// The UTF-8 of a key in memory of its own, which serves the next key of the same node, too.
///
/// Not a `String`, whose comparison asks for Unicode's rules before it looks at bytes, and whose object is
/// half as large again as the bytes of a usual URL and has a counter that every eviction would have to fetch.
@usableFromInline
struct KeyBytes: @unchecked Sendable {
    // Safe to send: only the `NodeBlock` that owns the node writes or frees the bytes, by exclusive access.
    @usableFromInline var start: UnsafeMutablePointer<UInt8>?
    private var count = 0
    private(set) var capacity = 0

    /// The largest memory that serves the next key, in bytes: that of a key of 256. Most URLs are shorter.
    private static let mostKept = 264

    @usableFromInline
    init() {}

    /// Takes the place of the key before.
    @usableFromInline
    mutating func hold(_ key: String) {
        let isHeld: Void? = key.utf8.withContiguousStorageIfAvailable { bytes in
            if bytes.count > capacity {
                start?.deallocate()
                // What glibc gives for it anyway, 24 at least: a key somewhat longer finds room for nothing.
                capacity = max(24, (bytes.count + 7) & ~15 + 8)
                start = .allocate(capacity: capacity)
            }
            if let source = bytes.baseAddress { start?.update(from: source, count: bytes.count) }
            count = bytes.count
        }
        guard isHeld == nil else { return }
        var native = key
        native.makeContiguousUTF8()
        hold(native)
    }

    /// Whether these are the bytes of `key`.
    @usableFromInline
    func equal(_ key: String) -> Bool {
        let isEqual = key.utf8.withContiguousStorageIfAvailable {
            $0.count == count && linux_same_bytes($0.baseAddress, start, count)
        }
        if let isEqual { return isEqual }
        var native = key
        native.makeContiguousUTF8()
        return equal(native)
    }

    /// Gives memory back that is too much to be kept for the next key.
    @usableFromInline
    mutating func vacate() {
        if capacity > Self.mostKept { free() }
    }

    @usableFromInline
    mutating func free() {
        start?.deallocate()
        self = KeyBytes()
    }
}
