import Kingfisher

/// Where the cells of a contact sheet are, in pixels.
struct SheetLayout: Hashable, Sendable {
    let cell: PixelSize
    let gap: Int
    let columns: Int
    let count: Int
    let hasNames: Bool

    /// The longer side of a JPEG; also of a sheet in other formats.
    static let maximumSide = 65_535
    static let maximumPixels = 100_000_000

    /// Without `columns`, the sheet has about as many columns as rows.
    init(count: Int, columns: Int?, cell: PixelSize, gap: Int, hasNames: Bool) {
        (self.count, self.cell, self.gap, self.hasNames) = (count, cell, gap, hasNames)
        let even = Int(Double(count).squareRoot().rounded(.up))
        self.columns = min(columns ?? even, count)
    }

    var rows: Int { (count + columns - 1) / columns }

    /// The size of the letters.
    var font: Double { min(max(Double(cell.width) / 14, 10), 40) }
    var nameHeight: Int { hasNames ? Int((font * 1.6).rounded(.up)) : 0 }

    var size: PixelSize {
        PixelSize(
            width: gap + columns * (cell.width + gap), height: gap + rows * (cell.height + nameHeight + gap))
    }

    var isTooLarge: Bool {
        max(size.width, size.height) > Self.maximumSide || size.area > Self.maximumPixels
    }

    /// The top left pixel of a cell, below which its name is.
    func origin(of index: Int) -> (x: Int, y: Int) {
        (
            gap + index % columns * (cell.width + gap),
            gap + index / columns * (cell.height + nameHeight + gap)
        )
    }
}
