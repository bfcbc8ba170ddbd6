/// How often colours occur, and the palette that serves them best.
///
/// Each colour has a cell of its own until there are too many; then neighbours share one.
struct ColorHistogram {
    /// What fell into a cell, or into some.
    struct Mass {
        var count = 0.0
        var sum = SIMD3<Double>()
        /// The sum of squares over all channels.
        var squares = 0.0

        var mean: SIMD3<Double> { sum / count }
        /// The squared distances from the mean, summed up.
        var error: Double { count > 0 ? squares - (sum * sum).sum() / count : 0 }

        static func += (mass: inout Mass, other: Mass) {
            mass.count += other.count
            mass.sum += other.sum
            mass.squares += other.squares
        }

        static func - (mass: Mass, other: Mass) -> Mass {
            Mass(
                count: mass.count - other.count, sum: mass.sum - other.sum,
                squares: mass.squares - other.squares)
        }
    }

    /// Cells that splitting can work through in a few milliseconds.
    private static let maximumCells = 1 << 14
    /// Twice as many slots keep the searches short.
    private static let slots = 2 * maximumCells
    private static let empty = UInt32.max

    private(set) var opaqueCount = 0
    /// How many low bits of a level are not told apart.
    private var shift: UInt32 = 0
    private var cellCount = 0
    /// The cells' colours, three bytes each, by hash; what fell into the cells, in sums of levels and pixels.
    private var keys = [UInt32](repeating: empty, count: slots)
    private var cells = [SIMD4<UInt64>](repeating: SIMD4(), count: slots)

    mutating func add(_ row: UnsafeBufferPointer<StraightPixel>) {
        for pixel in row where !pixel.isClear {
            let (red, green, blue) = (UInt32(pixel.red), UInt32(pixel.green), UInt32(pixel.blue))
            let key = (red &>> shift) &<< 16 | (green &>> shift) &<< 8 | blue &>> shift
            add(SIMD4(UInt64(red), UInt64(green), UInt64(blue), 1), to: key)
            opaqueCount &+= 1
        }
    }

    @inline(__always)
    private mutating func add(_ mass: SIMD4<UInt64>, to key: UInt32) {
        // Fibonacci hashing: the top bits of a product with 2^32 divided by the golden ratio.
        var slot = Int((key &* 0x9E37_79B9) &>> 17)
        while keys[slot] != key, keys[slot] != Self.empty { slot = (slot &+ 1) & (Self.slots &- 1) }
        cells[slot] &+= mass
        if keys[slot] == key { return }
        keys[slot] = key
        cellCount &+= 1
        if cellCount > Self.maximumCells { coarsen() }
    }

    /// Joins eight cells in one.
    private mutating func coarsen() {
        let fine = zip(keys, cells).filter { $0.0 != Self.empty }
        shift += 1
        cellCount = 0
        keys = Array(repeating: Self.empty, count: Self.slots)
        cells = Array(repeating: SIMD4(), count: Self.slots)
        for (key, cell) in fine { add(cell, to: key &>> 1 & 0x7F7F7F) }
    }

    /// At most `limit` colours, at least one.
    ///
    /// Boxes of cells are split until there are enough, always the one with the greatest error (after Heckbert,
    /// "Color image quantization for frame buffer display", 1982, and Wu's criterion for the cut, 1991). Each
    /// gives its mean.
    func palette(upTo limit: Int) -> [SIMD3<UInt8>] {
        let masses = cells.compactMap { cell -> Mass? in
            guard cell.w > 0 else { return nil }
            let count = Double(cell.w)
            let sum = SIMD3(Double(cell.x), Double(cell.y), Double(cell.z))
            return Mass(count: count, sum: sum, squares: (sum * sum).sum() / count)
        }
        var boxes = ColorBoxes(masses)
        while boxes.count < limit, boxes.splitWorst() {}
        return boxes.means.map { mean in
            let levels = mean.rounded(.toNearestOrAwayFromZero)
            return SIMD3(UInt8(levels.x), UInt8(levels.y), UInt8(levels.z))
        }
    }
}
