/// How the rows of an image of 8 bits go through the filters, and the memory which that takes.
struct PNGRowPlan: Hashable {
    /// A filter byte and a row's samples.
    let filteredStride: Int
    /// A row's samples without their filters; of RGB with alpha.
    let rowBytes: Int
    /// As many rows as go through the filters at once: the longer, the less ISA-L copies; the shorter, the
    /// nearer to the processor they stay.
    let rowsAtOnce: Int
    let hasPalette: Bool

    /// Rows are read in whole groups of `group`.
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

    /// Bytes that are held beside the image: filtered rows, the row above, and indices of colours.
    var byteCount: Int { filteredBytes + rowBytes + indexBytes }

    /// Near 192 KB; a multiple of four, which is how many rows the filters take together, where the group
    /// allows.
    private static func rowsAtOnce(stride: Int, group: Int) -> Int {
        let unit = group % 4 == 0 ? group : group % 2 == 0 ? group * 2 : group * 4
        let rows = (192 << 10) / stride / unit * unit
        if rows > 0 { return rows }
        return unit * stride <= 1 << 20 ? unit : group
    }
}
