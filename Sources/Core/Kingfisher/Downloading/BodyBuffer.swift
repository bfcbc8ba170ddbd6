import Foundation
import KingfisherImage
import KingfisherStorage

/// The bytes of a response body received so far.
///
/// Bodies above 256 KiB use a reusable block of `PixelMemory`. In the C allocator's arenas, large bodies that
/// grow and end in any order fragment the memory: sixteen of 15 MB held 650 MB (decision 047). Larger ones
/// are moved to a file (decision 064).
struct BodyBuffer: Sendable {
    /// The size in bytes above which a body uses a block. A body in a file counts as this.
    static let threshold = 256 << 10

    private var data = Data()
    private var block: Block?
    /// The file that has the body. Bytes are appended to it without the lock of this value.
    private(set) var file: BodyFile?
    /// The file that has the body until the next bytes are appended, because it cannot be written.
    private var failedFile: BodyFile?
    private var mayUseFile = true
    private(set) var count = 0
    private var endedCapacity: Int?

    struct Size: Sendable {
        /// The bytes received so far.
        let count: Int
        /// The bytes of memory that they use.
        let held: Int
        /// The bytes of memory that are used next.
        let next: Int
        let mayMoveToFile: Bool
    }

    func size(adding added: Int, expected: Int?) -> Size {
        Size(
            count: count, held: capacity, next: capacity(adding: added, expected: expected),
            mayMoveToFile: mayUseFile && file == nil)
    }

    /// The allocated bytes of memory.
    var capacity: Int {
        if let file { return file.isInMemory ? count : Self.threshold }
        return block?.capacity ?? endedCapacity ?? count
    }

    /// The allocated bytes after `added` more bytes. `expected` is the announced length of the body. It is
    /// not trusted: at most four times the bytes received are allocated for it.
    func capacity(adding added: Int, expected: Int?) -> Int {
        let total = count + added
        if let file { return file.isInMemory ? total : Self.threshold }
        guard total > max(Self.threshold, block?.capacity ?? 0) else { return max(total, capacity) }
        return max(total, expected.map { min(4 * total, $0) } ?? 2 * total)
    }

    mutating func reserve(_ bytes: Int) {
        data.reserveCapacity(min(bytes, Self.threshold))
    }

    /// Appends bytes in memory. Returns false if there is not enough.
    mutating func append(
        _ bytes: UnsafeRawBufferPointer, expected: Int?,
        allocate: (Int) -> UnsafeMutableRawPointer? = PixelMemory.take
    ) -> Bool {
        let capacity = capacity(adding: bytes.count, expected: expected)
        if capacity > max(Self.threshold, block?.capacity ?? 0) {
            guard let start = allocate(capacity) else { return false }
            let larger = Block(start, capacity: capacity)
            guard withUnsafeBytes({ larger.copy($0, at: 0) == count }) else { return false }
            (block, data) = (larger, Data())
        } else if failedFile != nil {
            data = self.bytes
            guard data.count == count else { return false }
        }
        failedFile?.discard()
        failedFile = nil
        if let block { _ = block.copy(bytes, at: count) } else { data.append(contentsOf: bytes) }
        count += bytes.count
        return true
    }

    // MARK: Files

    /// Continues the body in a file, which may have the first bytes of it already. If there is none, or if it
    /// cannot be written, the body stays in memory from now on.
    mutating func move(to file: BodyFile?) {
        guard let file, count == 0 || withUnsafeBytes({ (try? file.append($0)) != nil }) else {
            mayUseFile = false
            return
        }
        self.file = file
        count = file.count
        (data, block) = (Data(), nil)
    }

    mutating func noteAppended(_ bytes: Int) { count += bytes }

    /// Continues the body in memory, because its file cannot be written.
    mutating func leaveFile() {
        mayUseFile = false
        failedFile = file.take()
    }

    /// Of a file there may be no bytes, if it cannot be mapped.
    func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        if let file = file ?? failedFile { return file.bytes.withUnsafeBytes(body) }
        guard let block else { return data.withUnsafeBytes(body) }
        return body(UnsafeRawBufferPointer(start: block.start, count: count))
    }

    var bytes: Data { block == nil && file == nil && failedFile == nil ? data : withUnsafeBytes { Data($0) } }

    /// Transfers the bytes to a `Data` without a copy: those in memory, or `mapped`, which the file has
    /// returned. Nothing may be appended after this call.
    mutating func end(_ mapped: Data? = nil) {
        if let mapped {
            (endedCapacity, data) = (capacity, mapped)
            file = nil
        }
        guard let block else { return }
        data = Data(
            bytesNoCopy: block.start, count: count,
            deallocator: .custom { _, _ in withExtendedLifetime(block) {} })
        (self.block, endedCapacity) = (nil, block.capacity)
    }

    /// Ends an incomplete body, and gives its file to the caller, who closes it outside the lock.
    mutating func abandon() -> BodyFile? {
        mayUseFile = false
        return file.take() ?? failedFile.take()
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

    /// Returns the number of bytes.
    func copy(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        precondition(bytes.count <= capacity - offset)
        UnsafeMutableRawBufferPointer(start: start + offset, count: capacity - offset).copyMemory(from: bytes)
        return bytes.count
    }
}
