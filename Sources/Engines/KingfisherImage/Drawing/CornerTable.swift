struct CornerTable<Sample: KernelSample> {
    private struct Row {
        let outsideCount: Int
        let areas: Range<Int>
    }

    private var rows: [Row] = []
    private var areas: [Sample] = []

    var side: Int { rows.count }

    init(_ corner: CornerCoverage) {
        rows.reserveCapacity(corner.side)
        // An upper estimate of the pixels that a quarter circle crosses.
        areas.reserveCapacity(corner.side * 3)
        for y in 0..<corner.side {
            let first = areas.count
            let outside = corner.row(y) { areas.append(Sample(share: $0)) }
            rows.append(Row(outsideCount: outside, areas: first..<areas.count))
        }
    }

    func subtract(row y: Int, from coverage: UnsafeMutableBufferPointer<Sample>, atEnd: Bool) {
        let row = rows[y]
        let last = coverage.count - 1
        for x in 0..<row.outsideCount { coverage[atEnd ? last - x : x] = 0 }
        for (index, area) in areas[row.areas].enumerated() {
            let x = row.outsideCount + index
            let place = atEnd ? last - x : x
            coverage[place] -= min(coverage[place], area)
        }
    }
}
