import Glibc
import Synchronization

/// Memory for pixels: big blocks are kept for the next picture of the same size.
///
/// A fresh 48 MB block costs a third of a full-size JPEG decode in page faults alone, so up to `capacity`
/// bytes of freed blocks wait for reuse. Blocks are 64-byte aligned. Safe from any thread.
package enum PixelMemory {
    /// Blocks below this many bytes go straight to the allocator, which recycles them well by itself; larger
    /// ones it hands back to the system, and the next frame of an animation begins with page faults.
    static let threshold = 1 << 18
    /// The most that waits for reuse, in bytes.
    static let capacity = 64 << 20

    private static let alignment = 64

    /// A freed block. Unchecked: whoever takes it from the shelf is its only owner.
    private struct Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let count: Int
    }

    private struct Shelf {
        var blocks: [Block] = []
        var total = 0
    }

    private static let shelf = Mutex(Shelf())

    static func take(_ count: Int) -> UnsafeMutableRawPointer? {
        if count >= threshold {
            let kept = shelf.withLock { shelf -> Block? in
                guard let index = shelf.blocks.lastIndex(where: { $0.count == count }) else { return nil }
                shelf.total -= count
                return shelf.blocks.remove(at: index)
            }
            if let kept { return kept.start }
        }
        return allocate(count)
    }

    static func giveBack(_ start: UnsafeMutableRawPointer, count: Int) {
        guard count >= threshold, count <= capacity else { return release(start) }
        let block = Block(start: start, count: count)
        let dropped = shelf.withLock { shelf -> [Block] in
            shelf.blocks.append(block)
            shelf.total += count
            var dropped: [Block] = []
            while shelf.total > capacity {
                dropped.append(shelf.blocks.removeFirst())
                shelf.total -= dropped[dropped.count - 1].count
            }
            return dropped
        }
        for block in dropped { release(block.start) }
    }

    /// `malloc`, aligned by hand; what it gave stands right before the block.
    ///
    /// `posix_memalign` of glibc before 2.38 asks for more than it keeps, so it never finds a block that it
    /// has freed when the same size is asked for again: forty frames of an animation took 11 MB instead of
    /// two.
    private static func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        guard count <= .max - alignment, let given = malloc(count + alignment) else { return nil }
        let start = (given + pointerSize).alignedUp(toMultipleOf: alignment)
        (start - pointerSize).storeBytes(of: given, as: UnsafeMutableRawPointer.self)
        return start
    }

    private static func release(_ start: UnsafeMutableRawPointer) {
        free((start - pointerSize).load(as: UnsafeMutableRawPointer.self))
    }

    private static let pointerSize = MemoryLayout<UnsafeMutableRawPointer>.size
}
