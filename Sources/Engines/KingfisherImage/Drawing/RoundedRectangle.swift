/// Per-pixel coverage of a rectangle with rounded corners, `inset` pixels inside an image's edges.
struct RoundedRectangle<Sample: KernelSample> {
    let size: PixelSize
    let inset: Double
    private let corners: RectCorner
    private let corner: CornerTable<Sample>

    /// The radius is limited so that circles do not overlap, the inset to half the shorter side.
    init(in size: PixelSize, inset: Double = 0, radius: Double, corners: RectCorner) {
        let half = Double(min(size.width, size.height)) / 2
        self.size = size
        self.inset = min(max(inset, 0), half)
        let radius = min(max(radius, 0), half - self.inset)
        corner = CornerTable(
            CornerCoverage(radius: corners.isDisjoint(with: .all) ? 0 : radius, inset: self.inset))
        self.corners = corners
    }

    var isWhole: Bool { inset == 0 && corner.side == 0 }

    /// The number of rows at the top and at the bottom that may differ from the rows between, which are
    /// equal.
    var band: Int { max(corner.side, Int(inset.rounded(.up))) }

    /// Writes the coverage of each pixel of row `y`.
    func cover(row y: Int, into coverage: UnsafeMutableBufferPointer<Sample>) {
        let height = overlap(ofPixel: y, along: size.height)
        coverage.update(repeating: Sample(share: height))
        let cut = Int(inset)
        for x in 0..<cut { (coverage[x], coverage[size.width - 1 - x]) = (0, 0) }
        if Double(cut) < inset {
            let edge = Sample(share: height * overlap(ofPixel: cut, along: size.width))
            (coverage[cut], coverage[size.width - 1 - cut]) = (edge, edge)
        }
        for (corner, distance, atEnd) in [
            (RectCorner.topLeft, y, false), (.topRight, y, true),
            (.bottomLeft, size.height - 1 - y, false), (.bottomRight, size.height - 1 - y, true),
        ] where distance < self.corner.side && corners.contains(corner) {
            self.corner.subtract(row: distance, from: coverage, atEnd: atEnd)
        }
    }

    private func overlap(ofPixel index: Int, along length: Int) -> Double {
        max(0, min(Double(index + 1), Double(length) - inset) - max(Double(index), inset))
    }
}
