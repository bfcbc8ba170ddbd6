import CLinux

/// The UTF-8 of a key in memory of its own, which serves the next key of the same node, too.
///
/// Not a `String`, whose comparison asks for Unicode's rules before it looks at bytes, and whose object is
/// half as large again as the bytes of a usual URL and has a counter that every eviction would have to fetch.
/// One pointer, so that the keys and values of four entries stand in a line of the processor's cache: the
/// bytes begin after a head.
@usableFromInline
struct KeyBytes: @unchecked Sendable {
    // Safe to send: only the `NodeBlock` that owns the node writes or frees the bytes, by exclusive access.
    @usableFromInline var head: UnsafeMutablePointer<Head>?

    @usableFromInline
    struct Head {
        fileprivate var count: Int
        fileprivate(set) var capacity: Int
    }

    /// The largest memory that serves the next key, in bytes: that of a key of 256. Most URLs are shorter.
    private static let mostKept = 264

    @usableFromInline
    init() {}

    var capacity: Int { head?.pointee.capacity ?? 0 }

    private static func start(_ head: UnsafeMutablePointer<Head>) -> UnsafeMutablePointer<UInt8> {
        UnsafeMutableRawPointer(head + 1).assumingMemoryBound(to: UInt8.self)
    }

    /// Takes the place of the key before.
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
        // What glibc gives for it anyway: a key somewhat longer finds room for nothing.
        let size = (needed + 7) & ~15 + 8
        let head = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<Head>.alignment)
            .bindMemory(to: Head.self, capacity: 1)
        head.initialize(to: Head(count: count, capacity: size - MemoryLayout<Head>.size))
        self.head = head
        return head
    }

    /// Whether these are the bytes of `key`.
    @usableFromInline
    func equal(_ key: String) -> Bool {
        let isEqual = key.utf8.withContiguousStorageIfAvailable { bytes in
            guard let head else { return false }
            return bytes.count == head.pointee.count
                && linux_same_bytes(bytes.baseAddress, Self.start(head), bytes.count)
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

    /// Gives memory back that is too much to be kept for the next key.
    @usableFromInline
    mutating func vacate() {
        if capacity > Self.mostKept { free() }
    }

    @usableFromInline
    mutating func free() {
        UnsafeMutableRawPointer(head)?.deallocate()
        head = nil
    }
}
