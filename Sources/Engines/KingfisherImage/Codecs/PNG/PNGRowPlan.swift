/// The buffers for unfiltering the rows of an 8-bit image.
struct PNGRowPlan: Hashable {
    let filteredStride: Int
    let rowBytes: Int
    /// The number of rows to unfilter together: with more, ISA-L copies less; with fewer, they stay in a
    /// faster cache.
    let rowsAtOnce: Int
    let hasPalette: Bool

    init(_ file: PNGFileHeader, group: Int) {
        filteredStride = Self.filteredStride(file)
        rowBytes = file.size.width * (file.colorType == .rgb ? 4 : file.colorType.channels)
        rowsAtOnce = min(Self.rowsAtOnce(stride: filteredStride, group: group), file.size.height)
        hasPalette = file.colorType == .palette
    }

    static func filteredStride(_ file: PNGFileHeader) -> Int {
        1 + file.size.width * file.colorType.channels
    }

    var filteredBytes: Int { filteredStride * rowsAtOnce + 3 }
    var indexBytes: Int { hasPalette ? rowBytes * rowsAtOnce : 0 }

    var byteCount: Int { filteredBytes + rowBytes + indexBytes }

    /// About 192 KB; a multiple of four where the group allows, because the kernel unfilters four rows
    /// together.
    private static func rowsAtOnce(stride: Int, group: Int) -> Int {
        let unit = group % 4 == 0 ? group : group % 2 == 0 ? group * 2 : group * 4
        let rows = (192 << 10) / stride / unit * unit
        if rows > 0 { return rows }
        return unit * stride <= 1 << 20 ? unit : group
    }
}
