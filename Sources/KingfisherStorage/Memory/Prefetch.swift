import CLinux

/// Has the processor bring lines of memory into its cache that are needed some calls later.
///
/// What a full cache gives up was not touched for long: each of its lines would be waited for, one after the
/// other. An address that leads nowhere does no harm.
@usableFromInline
enum Prefetch {
    @usableFromInline
    static func lines(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) {
        linux_prefetch(one)
        linux_prefetch(other)
    }

    /// Of the counter of references to a value, if that is an object, and of a key of usual length.
    @usableFromInline
    static func references(of value: UnsafeRawPointer, valueSize: Int, key: UnsafeRawPointer?) {
        if let key { lines(key, key + 64) }
        guard valueSize == MemoryLayout<UInt>.size else { return }
        linux_prefetch(UnsafeRawPointer(bitPattern: value.load(as: UInt.self)))
    }

    /// Of an element of an array.
    @inline(__always)
    static func element<Element>(_ index: Int, of array: [Element]) {
        array.withUnsafeBufferPointer { linux_prefetch($0.baseAddress.map { $0 + index }) }
    }
}
