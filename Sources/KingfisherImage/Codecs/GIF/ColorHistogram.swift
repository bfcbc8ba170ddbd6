/// Counts colours, and computes a palette for them.
///
/// Each colour has a separate cell until there are too many; then similar colours share one.
struct ColorHistogram {
    struct Mass {
        var count = 0.0
        var sum = SIMD3<Double>()
        var squares = 0.0

        var mean: SIMD3<Double> { sum / count }
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

    /// A limit that keeps splitting within a few milliseconds.
    private static let maximumCells = 1 << 14
    /// Twice as many slots as cells keep searches short.
    private static let slots = 2 * maximumCells
    /// The maximum number of slots per search; about twice what colours need that were not chosen to collide.
    static let maximumSearch = 128
    private static let empty = UInt32.max

    private(set) var opaqueCount = 0
    private(set) var shift: UInt32 = 0
    private(set) var cellCount = 0
    /// The keys are colours of three bytes, stored by hash; each cell sums the levels and counts the pixels.
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

    /// The first slot of the search for a colour (the multiplications of MurmurHash3's finalizer).
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
        // Colours chosen to collide would otherwise make each search pass thousands of slots.
        let search = (slot &- start) & (Self.slots &- 1)
        if cellCount > Self.maximumCells || search > Self.maximumSearch { coarsen() }
    }

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

    /// Computes a palette of 1...`limit` colours.
    ///
    /// Splits the box with the largest error until there are enough boxes (Heckbert, "Color image
    /// quantization for frame buffer display", 1982, with Wu's split criterion, 1991). Each box yields its
    /// mean.
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
