import Foundation
import KingfisherImage

/// The bytes of a body as they come.
///
/// From 256 KiB on they are in a block of `PixelMemory`, which the next body or image uses again. In the C
/// allocator's arenas, bodies of megabytes that grow and end in any order leave holes: sixteen of 15 MB held
/// 650 MB (decision 047).
struct BodyBuffer: Sendable {
    /// Bytes from which on a body has a block.
    static let threshold = 256 << 10

    private var data = Data()
    private var block: Block?
    private(set) var count = 0
    /// The capacity of the block that `end()` has handed over.
    private var endedCapacity: Int?

    /// Bytes of memory that are held.
    var capacity: Int { block?.capacity ?? endedCapacity ?? count }

    /// Bytes of memory that are held once `added` more bytes have come. `expected` is the announced length of
    /// the body: a server's word, which is believed as far as the body has come.
    func capacity(adding added: Int, expected: Int?) -> Int {
        let total = count + added
        guard total > max(Self.threshold, block?.capacity ?? 0) else { return max(total, capacity) }
        return max(total, expected.map { min(4 * total, $0) } ?? 2 * total)
    }

    mutating func reserve(_ bytes: Int) {
        data.reserveCapacity(min(bytes, Self.threshold))
    }

    /// Adds bytes; false where there is no memory for them.
    mutating func append(
        _ bytes: UnsafeRawBufferPointer, expected: Int?,
        allocate: (Int) -> UnsafeMutableRawPointer? = PixelMemory.take
    ) -> Bool {
        let capacity = capacity(adding: bytes.count, expected: expected)
        if capacity > max(Self.threshold, block?.capacity ?? 0) {
            guard let start = allocate(capacity) else { return false }
            let larger = Block(start, capacity: capacity)
            withUnsafeBytes { larger.copy($0, at: 0) }
            (block, data) = (larger, Data())
        }
        if let block { block.copy(bytes, at: count) } else { data.append(contentsOf: bytes) }
        count += bytes.count
        return true
    }

    /// Lends the bytes.
    func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        guard let block else { return data.withUnsafeBytes(body) }
        return body(UnsafeRawBufferPointer(start: block.start, count: count))
    }

    /// The bytes so far; a copy of them before `end()`, if there are many.
    var bytes: Data { block == nil ? data : withUnsafeBytes { Data($0) } }

    /// Hands the bytes over to a `Data` without a copy: no more come.
    mutating func end() {
        guard let block else { return }
        data = Data(
            bytesNoCopy: block.start, count: count,
            deallocator: .custom { _, _ in withExtendedLifetime(block) {} })
        (self.block, endedCapacity) = (nil, block.capacity)
    }
}

/// Memory for one body. Unchecked: only the buffer that made it writes to it, behind its count.
private final class Block: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    let capacity: Int

    /// Takes over what `PixelMemory.take` has given.
    init(_ start: UnsafeMutableRawPointer, capacity: Int) {
        (self.start, self.capacity) = (start, capacity)
    }

    deinit { PixelMemory.giveBack(start, count: capacity) }

    func copy(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        precondition(bytes.count <= capacity - offset)
        UnsafeMutableRawBufferPointer(start: start + offset, count: capacity - offset).copyMemory(from: bytes)
    }
}
