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
    /// Slots that a search may pass; of colours that were not chosen to share slots, it passes half as many
    /// at most.
    static let maximumSearch = 128
    private static let empty = UInt32.max

    private(set) var opaqueCount = 0
    /// How many low bits of a level are not told apart.
    private(set) var shift: UInt32 = 0
    private(set) var cellCount = 0
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

    /// The slot where the search for a colour begins (the multiplications of MurmurHash3's finalizer).
    @inline(__always)
    static func slot(of key: UInt32) -> Int {
        var hash = (key ^ key &>> 16) &* 0x85EB_CA6B
        hash = (hash ^ hash &>> 13) &* 0xC2B2_AE35
        return Int(hash &>> 17)
    }

    @inline(__always)
    private mutating func add(_ mass: SIMD4<UInt64>, to key: UInt32) {
        let start = Self.slot(of: key)
        var slot = start
        while keys[slot] != key, keys[slot] != Self.empty { slot = (slot &+ 1) & (Self.slots &- 1) }
        cells[slot] &+= mass
        if keys[slot] == key { return }
        keys[slot] = key
        cellCount &+= 1
        // Colours that were chosen to share slots would make a search of each pixel pass thousands of them.
        let search = (slot &- start) & (Self.slots &- 1)
        if cellCount > Self.maximumCells || search > Self.maximumSearch { coarsen() }
    }

    /// Joins eight cells in one; again, where that does not help.
    private mutating func coarsen() {
        let fine = zip(keys, cells).filter { $0.0 != Self.empty }
        let fineShift = shift
        shift += 1
        cellCount = 0
        keys = Array(repeating: Self.empty, count: Self.slots)
        cells = Array(repeating: SIMD4(), count: Self.slots)
        for (key, cell) in fine {
            let joined = shift - fineShift
            add(cell, to: (key &>> joined) & ((0xFF &>> joined) &* 0x01_0101))
        }
    }

    /// At most `limit` colours, at least one.
    ///
    /// Boxes of cells are split until there are enough, always the one with the greatest error (after
    /// Heckbert, "Color image quantization for frame buffer display", 1982, and Wu's criterion for the cut,
    /// 1991). Each gives its mean.
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
