import Dispatch
import Glibc
import Synchronization

/// Memory for pixels, and for the bytes of large files: freed blocks wait some seconds for the next image of
/// about the same size.
///
/// A fresh 48 MB block costs two fifths of a full-size JPEG decode in page faults alone. So at
/// most `capacity` bytes of freed blocks are kept, for at most `patience`, and big blocks ask
/// for huge pages, which take a hundredth of the faults (docs/decisions/036). Blocks are
/// 64-byte aligned. Safe from any thread.
package enum PixelMemory {
    /// Blocks below this many bytes go straight to the allocator, which recycles them well by itself. Larger
    /// ones have pages of their own: images stay in caches for long, and among the allocator's blocks each
    /// keeps what was freed around it from going back to the system.
    static let threshold = 1 << 16
    /// Blocks from this many bytes on are mapped in whole huge pages, where the system allows them: not so
    /// small that a thumbnail's memory would grow by what the last page leaves.
    static let hugeThreshold = 4 << 20
    /// The most that waits for reuse, in bytes.
    package static let capacity = 64 << 20
    /// How long a block waits, in nanoseconds.
    static let patience: UInt64 = 10_000_000_000

    private struct State {
        var pool = PixelPool(capacity: PixelMemory.capacity, patience: PixelMemory.patience)
        var isSweepPlanned = false
    }

    private static let state = Mutex(State())

    /// Memory for `count` bytes, of unspecified content; nil when there is none.
    package static func take(_ count: Int) -> UnsafeMutableRawPointer? {
        let size = blockSize(for: count)
        if size >= threshold, let kept = state.withLock({ $0.pool.take(size) }) { return kept.start }
        if size < threshold { return allocate(size) }
        return size < hugeThreshold ? PageMapping.map(size) : PageMapping.mapHuge(size)
    }

    /// Takes back what `take(count)` gave.
    package static func giveBack(_ start: UnsafeMutableRawPointer, count: Int) {
        let block = PixelPool.Block(start: start, byteCount: blockSize(for: count))
        guard block.byteCount >= threshold else { return release(block) }
        let now = uptime()
        let dropped = state.withLock { state -> [PixelPool.Block] in
            let dropped = state.pool.put(block, at: now)
            planSweep(&state, at: now)
            return dropped
        }
        dropped.forEach(release)
    }

    /// Gives all waiting blocks back to the system.
    package static func trim() {
        state.withLock { $0.pool.dropAll() }.forEach(release)
    }

    /// The bytes that wait for reuse.
    package static var waitingByteCount: Int { state.withLock { $0.pool.byteCount } }

    private static func blockSize(for count: Int) -> Int {
        count < threshold ? count : PixelPool.blockSize(for: count)
    }

    // MARK: Idle memory

    /// One sweep at a time, and none while nothing waits.
    private static func planSweep(_ state: inout State, at now: UInt64) {
        guard !state.isSweepPlanned, let next = state.pool.nextDrop else { return }
        state.isSweepPlanned = true
        let wait = DispatchTimeInterval.nanoseconds(Int(clamping: max(next, now) - now))
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + wait) { sweep() }
    }

    private static func sweep() {
        let now = uptime()
        let dropped = state.withLock { state -> [PixelPool.Block] in
            let dropped = state.pool.dropExpired(at: now)
            state.isSweepPlanned = false
            planSweep(&state, at: now)
            return dropped
        }
        dropped.forEach(release)
    }

    private static func uptime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    // MARK: The allocator

    private static func release(_ block: PixelPool.Block) {
        if block.byteCount >= threshold {
            PageMapping.unmap(block.start, block.byteCount)
        } else {
            free((block.start - pointerSize).load(as: UnsafeMutableRawPointer.self))
        }
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

    private static let alignment = 64
    private static let pointerSize = MemoryLayout<UnsafeMutableRawPointer>.size
}
