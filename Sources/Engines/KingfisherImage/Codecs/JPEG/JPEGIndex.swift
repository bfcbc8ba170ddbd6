import CKernels

/// Where the MCUs of a baseline scan begin in the file: an entry for some of each row (decision 106).
///
/// Unchecked: `JPEGRows` fills it before any part is decoded, and nothing changes it afterwards.
final class JPEGIndex: @unchecked Sendable {
    /// MCUs between entries. A part decodes up to this many in vain in each row; an entry takes 16 bytes.
    static let step = 16

    let entries: UnsafeMutablePointer<kf_jpeg_entry>
    let groups: Int
    private var indexer = kf_jpeg_indexer()

    /// For a scan of `rows` with `columns` MCUs.
    init(columns: Int, rows: Int) {
        groups = (columns + Self.step - 1) / Self.step
        entries = .allocate(capacity: groups * rows + 1)
        entries.initialize(repeating: kf_jpeg_entry(), count: groups * rows + 1)
    }

    deinit { entries.deallocate() }

    /// Adds a section that has just been read.
    func add(_ section: UnsafePointer<kf_jpeg_section>, of scan: UnsafePointer<kf_jpeg_scan>) {
        kf_jpeg_index_section(scan, section, UInt32(Self.step), &indexer, entries)
    }

    /// The shortest span with `columns` of a row of the scan, which has `width` MCUs.
    func span(_ columns: Range<Int>, row: Int, width: Int) -> kf_jpeg_span {
        let (from, to) = (columns.lowerBound / Self.step, (columns.upperBound - 1) / Self.step + 1)
        let first = from * Self.step
        let start = entries + row * groups
        return kf_jpeg_span(
            from: start + from, to: start + to, mcu: UInt64(row * width + first),
            count: UInt32(min(to * Self.step, width) - first), first: UInt32(columns.lowerBound - first),
            wanted: UInt32(columns.count))
    }
}

extension kf_jpeg_span {
    /// The bytes of the file from the first MCU to the last.
    var sourceBytes: Int { max(0, Int(to.pointee.position / 8) - Int(from.pointee.position / 8)) }
}
