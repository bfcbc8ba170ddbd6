import CLinux

/// Prefetches cache lines that are needed some calls later.
///
/// The entries that a full cache evicts have not been touched for long, so each of their lines would be a
/// cache miss. Prefetching an invalid address is harmless.
@usableFromInline
enum Prefetch {
    @usableFromInline
    static func lines(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) {
        kf_linux_prefetch(one)
        kf_linux_prefetch(other)
    }

    @usableFromInline
    static func references(of value: UnsafeRawPointer, valueSize: Int, key: UnsafeRawPointer?) {
        if let key { lines(key, key + 64) }
        guard valueSize == MemoryLayout<UInt>.size else { return }
        kf_linux_prefetch(UnsafeRawPointer(bitPattern: value.load(as: UInt.self)))
    }

    @inline(__always)
    static func element<Element>(_ index: Int, of array: [Element]) {
        array.withUnsafeBufferPointer { kf_linux_prefetch($0.baseAddress.map { $0 + index }) }
    }
}
