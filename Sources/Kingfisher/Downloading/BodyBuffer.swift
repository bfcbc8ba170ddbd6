import Foundation
import KingfisherImage

/// The bytes of a response body received so far.
///
/// Bodies above 256 KiB use a reusable block of `PixelMemory`. In the C allocator's arenas, large bodies that
/// grow and end in any order fragment the memory: sixteen of 15 MB held 650 MB (decision 047).
struct BodyBuffer: Sendable {
    /// The size in bytes above which a body uses a block.
    static let threshold = 256 << 10

    private var data = Data()
    private var block: Block?
    private(set) var count = 0
    private var endedCapacity: Int?

    var capacity: Int { block?.capacity ?? endedCapacity ?? count }

    /// The allocated bytes after `added` more bytes. `expected` is the announced length of the body. It is
    /// not trusted: at most four times the bytes received are allocated for it.
    func capacity(adding added: Int, expected: Int?) -> Int {
        let total = count + added
        guard total > max(Self.threshold, block?.capacity ?? 0) else { return max(total, capacity) }
        return max(total, expected.map { min(4 * total, $0) } ?? 2 * total)
    }

    mutating func reserve(_ bytes: Int) {
        data.reserveCapacity(min(bytes, Self.threshold))
    }

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

    func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        guard let block else { return data.withUnsafeBytes(body) }
        return body(UnsafeRawBufferPointer(start: block.start, count: count))
    }

    var bytes: Data { block == nil ? data : withUnsafeBytes { Data($0) } }

    /// Transfers the bytes to a `Data` without a copy. Nothing may be appended after this call.
    mutating func end() {
        guard let block else { return }
        data = Data(
            bytesNoCopy: block.start, count: count,
            deallocator: .custom { _, _ in withExtendedLifetime(block) {} })
        (self.block, endedCapacity) = (nil, block.capacity)
    }
}

/// Memory for one body. Unchecked: only the buffer that created it writes to it, past the bytes already
/// written.
private final class Block: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    let capacity: Int

    /// Takes ownership of memory from `PixelMemory.take`.
    init(_ start: UnsafeMutableRawPointer, capacity: Int) {
        (self.start, self.capacity) = (start, capacity)
    }

    deinit { PixelMemory.giveBack(start, count: capacity) }

    func copy(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        precondition(bytes.count <= capacity - offset)
        UnsafeMutableRawBufferPointer(start: start + offset, count: capacity - offset).copyMemory(from: bytes)
    }
}
