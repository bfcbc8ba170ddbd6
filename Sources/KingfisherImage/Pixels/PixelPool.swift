import Glibc

/// Which freed blocks of pixels wait for the next image, and for how long.
///
/// Times are nanoseconds of any clock that does not go back. Holds no memory itself: what it gives out as
/// dropped, its owner frees.
struct PixelPool {
    /// A freed block. Unchecked: whoever takes it from the pool is its only owner.
    struct Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let byteCount: Int
    }

    /// The most that waits, in bytes.
    let capacity: Int
    /// How long a block waits, in nanoseconds.
    let patience: UInt64

    private var waiting: [(block: Block, since: UInt64)] = []
    private(set) var byteCount = 0

    init(capacity: Int, patience: UInt64) {
        self.capacity = capacity
        self.patience = patience
    }

    /// The size of block that serves `count` bytes: eight steps to each doubling, so that images of about
    /// the same size find each other's and at most an eighth stays unused, most of it never touched.
    static func blockSize(for count: Int) -> Int {
        guard count > 8 else { return max(count, 0) }
        let step = 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount - 3)
        let rounded = count.addingReportingOverflow(step - 1)
        return rounded.overflow ? count : rounded.partialValue & ~(step - 1)
    }

    /// The block of exactly `byteCount` bytes that was put here last, whose bytes may still be in a cache.
    mutating func take(_ byteCount: Int) -> Block? {
        guard let index = waiting.lastIndex(where: { $0.block.byteCount == byteCount }) else { return nil }
        self.byteCount -= byteCount
        return waiting.remove(at: index).block
    }

    /// Keeps `block`; gives those that must go for it, the longest waiting first, or itself
    /// when it is too big.
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

    /// Gives the blocks that have waited as long as they may; `time` may be before one was put here, by a
    /// thread that read the clock later.
    mutating func dropExpired(at time: UInt64) -> [Block] {
        drop(first: waiting.firstIndex { time < $0.since + patience } ?? waiting.count)
    }

    /// Gives all blocks.
    mutating func dropAll() -> [Block] {
        drop(first: waiting.count)
    }

    /// When the next block has waited as long as it may; nil when nothing waits.
    var nextDrop: UInt64? { waiting.first.map { $0.since + patience } }

    private mutating func drop(first count: Int) -> [Block] {
        let dropped = waiting.prefix(count).map(\.block)
        waiting.removeFirst(count)
        byteCount -= dropped.reduce(0) { $0 + $1.byteCount }
        return dropped
    }
}
