import CLinux

/// Has the processor bring lines of memory into its cache that are needed some calls later.
///
/// What a full cache gives up was not touched for long: each of its lines would be waited for, one after the
/// other. An address that leads nowhere does no harm.
@usableFromInline
enum Prefetch {
    /// Of a node and of the place of its value.
    @usableFromInline
    static func lines(_ node: UnsafeRawPointer, _ value: UnsafeRawPointer) {
        linux_prefetch(node)
        linux_prefetch(value)
    }

    /// Of the counters of references to a node's key and to its value, if that is an object.
    ///
    /// Both are read, so their own lines should have been brought before.
    @usableFromInline
    static func counters(_ node: UnsafePointer<MemoryNode>, _ value: UnsafeRawPointer, valueSize: Int) {
        let word = MemoryLayout<UInt>.size
        if MemoryLayout<String>.size == 2 * word {
            // The second word of a string is the address of its object under eight bits of flags. A short
            // string has none; its letters are as good an address as any.
            let key = UnsafeRawPointer(node).load(fromByteOffset: word, as: UInt.self)
            linux_prefetch(UnsafeRawPointer(bitPattern: (key << 8) >> 8))
        }
        if valueSize == word {
            linux_prefetch(UnsafeRawPointer(bitPattern: value.load(as: UInt.self)))
        }
    }

    /// Of an element of an array.
    @inline(__always)
    static func element<Element>(_ index: Int, of array: [Element]) {
        array.withUnsafeBufferPointer { linux_prefetch($0.baseAddress.map { $0 + index }) }
    }
}
