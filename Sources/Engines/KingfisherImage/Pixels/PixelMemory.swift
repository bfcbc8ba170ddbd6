import CKernels
import Dispatch
import Glibc
import Synchronization

/// Memory for pixels and for the bytes of large files; freed blocks are retained for some seconds for reuse
/// by images of similar size.
///
/// Page faults of a new 48 MB block cost two fifths of a full-size JPEG decode. So at most `capacity` bytes
/// of freed blocks are retained, for at most `retentionTime`, and big blocks request huge pages, which cause
/// a hundredth of the faults (docs/decisions/036). Blocks are 64-byte aligned. Safe from any thread.
package enum PixelMemory {
    /// False under Address Sanitizer, which detects accesses beyond a block only if the allocator returned it
    /// with exactly the requested size.
    static let isPooled = !kf_is_sanitized()
    /// Blocks below this many bytes come from the allocator, which reuses them well. Larger ones have
    /// separate pages: images stay in caches for long, and inside the allocator's heap each would keep freed
    /// memory around it from returning to the system.
    static let threshold: Int = isPooled ? 1 << 16 : .max
    /// Blocks from this many bytes on use whole huge pages if the system allows it. Smaller ones would waste
    /// too much of the last page.
    static let hugeThreshold = 4 << 20
    package static let capacity = 64 << 20
    /// The time for which a freed block is retained, in nanoseconds.
    static let retentionTime: UInt64 = 10_000_000_000

    private struct State {
        var pool = PixelPool(capacity: PixelMemory.capacity, retentionTime: PixelMemory.retentionTime)
        var isSweepPlanned = false
    }

    private static let state = Mutex(State())

    /// Returns memory for `count` bytes of undefined content; nil if there is none.
    package static func take(_ count: Int) -> UnsafeMutableRawPointer? {
        let size = blockSize(for: count)
        if size >= threshold, let kept = state.withLock({ $0.pool.take(size) }) { return kept.start }
        if size < threshold { return allocate(size) }
        return size < hugeThreshold ? PageMapping.map(size) : PageMapping.mapHuge(size)
    }

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

    package static func trim() {
        state.withLock { $0.pool.dropAll() }.forEach(release)
    }

    package static var retainedByteCount: Int { state.withLock { $0.pool.byteCount } }

    private static func blockSize(for count: Int) -> Int {
        count < threshold ? count : PixelPool.blockSize(for: count)
    }

    // MARK: Idle memory

    /// Retains freed blocks without a time limit from now on: a process that is locked down has no thread to
    /// release them.
    package static func stopSweeps() {
        state.withLock { $0.isSweepPlanned = true }
    }

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
        } else if !isPooled {
            free(block.start)
        } else {
            free((block.start - pointerSize).load(as: UnsafeMutableRawPointer.self))
        }
    }

    /// Allocates with `malloc` and aligns; the original pointer is stored just before the block.
    ///
    /// `posix_memalign` of glibc before 2.38 requests more than it keeps and so never reuses a freed block of
    /// the same size: forty frames of an animation took 11 MB instead of two.
    private static func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        guard isPooled else {
            var start: UnsafeMutableRawPointer?
            return posix_memalign(&start, alignment, count) == 0 ? start : nil
        }
        guard count <= .max - alignment, let given = malloc(count + alignment) else { return nil }
        let start = (given + pointerSize).alignedUp(toMultipleOf: alignment)
        (start - pointerSize).storeBytes(of: given, as: UnsafeMutableRawPointer.self)
        return start
    }

    private static let alignment = 64
    private static let pointerSize = MemoryLayout<UnsafeMutableRawPointer>.size
}
