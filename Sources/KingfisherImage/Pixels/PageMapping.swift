import Glibc

/// Memory by whole pages, straight from the system.
enum PageMapping {
    /// The size of a huge page on x86-64, and on arm64 with pages of 4 kB; elsewhere only the alignment is in
    /// vain.
    private static let hugeSize = 2 << 20

    /// A mapping of `count` bytes, zeroed; nil when there is no memory.
    static func map(_ count: Int) -> UnsafeMutableRawPointer? {
        let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return start == MAP_FAILED ? nil : start
    }

    /// One that begins where a huge page does, and asks for huge pages (madvise(2), `MADV_HUGEPAGE`).
    ///
    /// The kernel gives them on first touch where its settings allow; elsewhere these are mappings like any
    /// other. What is left behind the last whole one is taken by ordinary pages.
    static func mapHuge(_ count: Int) -> UnsafeMutableRawPointer? {
        let (total, overflow) = count.addingReportingOverflow(hugeSize)
        guard !overflow, let given = map(total) else { return nil }
        let start = given.alignedUp(toMultipleOf: hugeSize)
        let end = (start + count).alignedUp(toMultipleOf: Int(getpagesize()))
        // What lies around the block is address space alone, given back so that blocks are all there is.
        if start > given { munmap(given, start - given) }
        if end < given + total { munmap(end, given + total - end) }
        madvise(start, end - start, MADV_HUGEPAGE)
        return start
    }

    /// Ends what either gave.
    static func unmap(_ start: UnsafeMutableRawPointer, _ count: Int) {
        munmap(start, count)
    }
}
