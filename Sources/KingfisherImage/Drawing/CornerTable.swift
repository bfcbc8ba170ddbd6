/// A rounded corner's coverage in 255ths, worked out once for the four corners of an image.
struct CornerTable {
    /// Pixels from the side that lie wholly outside, and where the areas of those that the circle cuts stand.
    private struct Row {
        let outside: Int
        let areas: Range<Int>
    }

    private var rows: [Row] = []
    private var areas: [UInt8] = []

    /// Rows that the corner touches.
    var side: Int { rows.count }

    init(_ corner: CornerCoverage) {
        rows.reserveCapacity(corner.side)
        // A circle cuts about this many pixels of a quarter.
        areas.reserveCapacity(corner.side * 3)
        for y in 0..<corner.side {
            let first = areas.count
            let outside = corner.row(y) { areas.append(UInt8((min(max($0, 0), 1) * 255).rounded())) }
            rows.append(Row(outside: outside, areas: first..<areas.count))
        }
    }

    /// Takes what the corner leaves out of row `y` away from a row's coverage, at its beginning or its end.
    func subtract(row y: Int, from coverage: UnsafeMutableBufferPointer<UInt8>, atEnd: Bool) {
        let row = rows[y]
        let last = coverage.count - 1
        for x in 0..<row.outside { coverage[atEnd ? last - x : x] = 0 }
        for (index, area) in areas[row.areas].enumerated() {
            let x = row.outside + index
            let place = atEnd ? last - x : x
            coverage[place] -= min(coverage[place], area)
        }
    }
}
