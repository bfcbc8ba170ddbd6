import Glibc

/// Mappings that begin where a huge page does, and ask for huge pages (madvise(2), `MADV_HUGEPAGE`).
///
/// The kernel gives them on first touch where its settings allow; elsewhere these are mappings like any other.
/// What is left behind the last whole one is taken by ordinary pages.
enum HugePages {
    /// The size on x86-64, and on arm64 with pages of 4 kB; elsewhere only the alignment is in vain.
    private static let size = 2 << 20

    /// A mapping of `count` bytes, zeroed; nil when there is no memory.
    static func map(_ count: Int) -> UnsafeMutableRawPointer? {
        let (total, overflow) = count.addingReportingOverflow(size)
        guard !overflow,
            let given = mmap(nil, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            given != MAP_FAILED
        else { return nil }
        let start = given.alignedUp(toMultipleOf: size)
        let end = (start + count).alignedUp(toMultipleOf: Int(getpagesize()))
        // What lies around the block is address space alone, given back so that blocks are all there is.
        if start > given { munmap(given, start - given) }
        if end < given + total { munmap(end, given + total - end) }
        madvise(start, end - start, MADV_HUGEPAGE)
        return start
    }

    /// Ends what `map(count)` gave.
    static func unmap(_ start: UnsafeMutableRawPointer, _ count: Int) {
        munmap(start, count)
    }
}
