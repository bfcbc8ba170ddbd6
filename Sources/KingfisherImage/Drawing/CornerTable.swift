struct CornerTable {
    /// The number of pixels entirely outside, and the range in `CornerTable.areas` of the partly covered
    /// ones.
    private struct Row {
        let outside: Int
        let areas: Range<Int>
    }

    private var rows: [Row] = []
    private var areas: [UInt8] = []

    var side: Int { rows.count }

    init(_ corner: CornerCoverage) {
        rows.reserveCapacity(corner.side)
        // An upper estimate of the pixels that a quarter circle crosses.
        areas.reserveCapacity(corner.side * 3)
        for y in 0..<corner.side {
            let first = areas.count
            let outside = corner.row(y) { areas.append(UInt8((min(max($0, 0), 1) * 255).rounded())) }
            rows.append(Row(outside: outside, areas: first..<areas.count))
        }
    }

    /// Subtracts the corner's outside area in row `y` from a row's coverage, at its start or its end.
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
