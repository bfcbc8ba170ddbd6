import Glibc

/// Freed blocks of pixels that are retained for reuse.
///
/// Times are nanoseconds of any monotonic clock. The pool does not free memory: its owner frees the blocks
/// that it drops.
struct PixelPool {
    /// A freed block. Unchecked: the caller that takes it from the pool is its only owner.
    struct Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let byteCount: Int
    }

    let capacity: Int
    let retentionTime: UInt64

    private var waiting: [(block: Block, since: UInt64)] = []
    private(set) var byteCount = 0

    init(capacity: Int, retentionTime: UInt64) {
        self.capacity = capacity
        self.retentionTime = retentionTime
    }

    /// The block size for `count` bytes: eight steps per doubling, so that images of similar size share
    /// blocks. At most an eighth is unused, and most of that is never accessed.
    static func blockSize(for count: Int) -> Int {
        guard count > 8 else { return max(count, 0) }
        let step = 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount - 3)
        let rounded = count.addingReportingOverflow(step - 1)
        return rounded.overflow ? count : rounded.partialValue & ~(step - 1)
    }

    /// The block of exactly `byteCount` bytes that was added last; its bytes may still be in a CPU cache.
    mutating func take(_ byteCount: Int) -> Block? {
        guard let index = waiting.lastIndex(where: { $0.block.byteCount == byteCount }) else { return nil }
        self.byteCount -= byteCount
        return waiting.remove(at: index).block
    }

    /// Retains `block`; returns the dropped blocks, oldest first, or `block` itself if it is too big.
    mutating func put(_ block: Block, at time: UInt64) -> [Block] {
        guard block.byteCount <= capacity else { return [block] }
        let excess = byteCount + block.byteCount - capacity
        var dropped = 0
        var freed = 0
        while freed < excess {
            freed += waiting[dropped].block.byteCount
            dropped += 1
        }
        defer {
            waiting.append((block, time))
            byteCount += block.byteCount
        }
        return drop(first: dropped)
    }

    /// Drops the expired blocks. `time` may be earlier than the time of a block that a concurrent thread
    /// added.
    mutating func dropExpired(at time: UInt64) -> [Block] {
        drop(first: waiting.firstIndex { time < $0.since + retentionTime } ?? waiting.count)
    }

    mutating func dropAll() -> [Block] {
        drop(first: waiting.count)
    }

    var nextDrop: UInt64? { waiting.first.map { $0.since + retentionTime } }

    private mutating func drop(first count: Int) -> [Block] {
        let dropped = waiting.prefix(count).map(\.block)
        waiting.removeFirst(count)
        byteCount -= dropped.reduce(0) { $0 + $1.byteCount }
        return dropped
    }
}
