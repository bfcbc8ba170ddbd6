struct ColorBoxes {
    private typealias ColorSums = ColorHistogram.ColorSums

    private struct Box {
        var range: Range<Int>
        var mass: ColorHistogram.ColorSums
    }

    private var cells: [ColorHistogram.ColorSums]
    private var boxes: [Box]

    init(_ cells: [ColorHistogram.ColorSums], limit: Int) {
        var cells = cells
        let opaque = limit > 1 ? cells.partition { $0.mean.w < 255 } : cells.endIndex
        self.cells = cells
        boxes = [cells.startIndex..<opaque, opaque..<cells.endIndex].filter { !$0.isEmpty }.map { range in
            Box(range: range, mass: cells[range].reduce(into: ColorSums()) { $0 += $1 })
        }
    }

    var count: Int { boxes.count }
    var masses: [ColorHistogram.ColorSums] { boxes.map(\.mass) }

    mutating func splitWorst() -> Bool {
        var worst: Int?
        var error = 0.0
        for (number, box) in boxes.enumerated() where box.range.count > 1 && box.mass.error > error {
            (worst, error) = (number, box.mass.error)
        }
        guard let worst else { return false }
        let (lower, upper) = split(boxes[worst])
        boxes[worst] = lower
        boxes.append(upper)
        return true
    }

    private mutating func split(_ box: Box) -> (Box, Box) {
        let channel = widestChannel(of: box)
        cells[box.range].sort { $0.mean[channel] < $1.mean[channel] }
        var lower = ColorSums()
        var best = (end: box.range.lowerBound + 1, lower: cells[box.range.lowerBound], error: Double.infinity)
        for index in box.range.dropLast() {
            lower += cells[index]
            let error = lower.error + (box.mass - lower).error
            if error < best.error { best = (index + 1, lower, error) }
        }
        return (
            Box(range: box.range.lowerBound..<best.end, mass: best.lower),
            Box(range: best.end..<box.range.upperBound, mass: box.mass - best.lower)
        )
    }

    private func widestChannel(of box: Box) -> Int {
        let middle = box.mass.mean
        let spread = cells[box.range].reduce(into: SIMD4<Double>()) { spread, cell in
            let distance = cell.mean - middle
            spread += distance * distance * cell.count
        }
        return (0..<4).max { spread[$0] < spread[$1] } ?? 0
    }
}
