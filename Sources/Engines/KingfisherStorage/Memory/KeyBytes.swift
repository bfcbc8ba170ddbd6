import CLinux

/// The UTF-8 bytes of a key in manually managed memory, which the next key of the same node reuses.
///
/// Not a `String`: its comparison applies Unicode rules before it compares bytes, and its object is half as
/// large again as a usual URL and has a reference count that every eviction would have to load. The struct is
/// a single pointer, so that the keys and values of four entries fit into one cache line; the bytes follow a
/// header.
@usableFromInline
struct KeyBytes: @unchecked Sendable {
    // Safe to send: only the `NodeBlock` that owns the node writes or frees the bytes, with exclusive access.
    @usableFromInline var head: UnsafeMutablePointer<Head>?

    @usableFromInline
    struct Head {
        fileprivate var count: Int
        fileprivate(set) var capacity: Int
    }

    /// The largest capacity, in bytes, that is kept for the next key: the capacity for 256 bytes. Most URLs
    /// are shorter.
    private static let largestReusedCapacity = 264

    @usableFromInline
    init() {}

    var capacity: Int { head?.pointee.capacity ?? 0 }

    private static func start(_ head: UnsafeMutablePointer<Head>) -> UnsafeMutablePointer<UInt8> {
        UnsafeMutableRawPointer(head + 1).assumingMemoryBound(to: UInt8.self)
    }

    @usableFromInline
    mutating func hold(_ key: String) {
        let isHeld: Void? = key.utf8.withContiguousStorageIfAvailable { bytes in
            let head = room(for: bytes.count)
            if let source = bytes.baseAddress { Self.start(head).update(from: source, count: bytes.count) }
            head.pointee.count = bytes.count
        }
        guard isHeld == nil else { return }
        var native = key
        native.makeContiguousUTF8()
        hold(native)
    }

    private mutating func room(for count: Int) -> UnsafeMutablePointer<Head> {
        if let head, head.pointee.capacity >= count { return head }
        free()
        let needed = MemoryLayout<Head>.size + count
        // Rounded up to glibc's allocation size: a slightly longer key fits without another allocation.
        let size = (needed + 7) & ~15 + 8
        let head = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<Head>.alignment)
            .bindMemory(to: Head.self, capacity: 1)
        head.initialize(to: Head(count: count, capacity: size - MemoryLayout<Head>.size))
        self.head = head
        return head
    }

    @usableFromInline
    func equal(_ key: String) -> Bool {
        let isEqual = key.utf8.withContiguousStorageIfAvailable { bytes in
            guard let head else { return false }
            return bytes.count == head.pointee.count
                && kf_linux_same_bytes(bytes.baseAddress, Self.start(head), bytes.count)
        }
        if let isEqual { return isEqual }
        var native = key
        native.makeContiguousUTF8()
        return equal(native)
    }

    var text: String {
        guard let head else { return "" }
        return String(
            decoding: UnsafeBufferPointer(start: Self.start(head), count: head.pointee.count), as: UTF8.self)
    }

    @usableFromInline
    mutating func vacate() {
        if capacity > Self.largestReusedCapacity { free() }
    }

    @usableFromInline
    mutating func free() {
        UnsafeMutableRawPointer(head)?.deallocate()
        head = nil
    }
}
