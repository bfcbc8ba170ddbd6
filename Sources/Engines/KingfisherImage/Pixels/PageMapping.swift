import Glibc

enum PageMapping {
    /// The size of a huge page on x86-64, and on arm64 with pages of 4 kB; elsewhere it is only an alignment.
    private static let hugeSize = 2 << 20

    static func map(_ count: Int) -> UnsafeMutableRawPointer? {
        let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return start == MAP_FAILED ? nil : start
    }

    /// Maps memory aligned to a huge page, and requests huge pages (madvise(2), `MADV_HUGEPAGE`).
    ///
    /// The kernel provides them on first access if its settings allow; otherwise this is an ordinary mapping.
    /// The remainder after the last huge page uses ordinary pages.
    static func mapHuge(_ count: Int) -> UnsafeMutableRawPointer? {
        let (total, overflow) = count.addingReportingOverflow(hugeSize)
        guard !overflow, let given = map(total) else { return nil }
        let start = given.alignedUp(toMultipleOf: hugeSize)
        let end = (start + count).alignedUp(toMultipleOf: Int(getpagesize()))
        // Unmap the unused address space around the block.
        if start > given { munmap(given, start - given) }
        if end < given + total { munmap(end, given + total - end) }
        madvise(start, end - start, MADV_HUGEPAGE)
        return start
    }

    static func unmap(_ start: UnsafeMutableRawPointer, _ count: Int) {
        munmap(start, count)
    }
}
