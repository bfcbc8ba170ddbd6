/// Counts colours, and computes a palette for them. Colours are multiplied by alpha, which is their fourth
/// level.
///
/// Each colour has a separate cell until there are too many; then similar colours share one.
struct ColorHistogram {
    struct ColorSums {
        var count = 0.0
        var sum = SIMD4<Double>()
        var squares = 0.0

        var mean: SIMD4<Double> { sum / count }
        var error: Double { count > 0 ? squares - (sum * sum).sum() / count : 0 }

        static func += (mass: inout ColorSums, other: ColorSums) {
            mass.count += other.count
            mass.sum += other.sum
            mass.squares += other.squares
        }

        static func - (mass: ColorSums, other: ColorSums) -> ColorSums {
            ColorSums(
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

    /// The pixels that are not transparent.
    private(set) var shownCount = 0
    private(set) var shift: UInt32 = 0
    private(set) var cellCount = 0
    /// The keys are colours of four bytes, stored by hash; each cell sums the levels and counts the pixels.
    private var keys = [UInt32](repeating: empty, count: slots)
    private var cells = [SIMD4<UInt64>](repeating: SIMD4(), count: slots)
    private var counts = [UInt32](repeating: 0, count: slots)

    mutating func add(_ pixels: UnsafeBufferPointer<PalettePixel>) {
        for pixel in pixels where !pixel.isTransparent {
            let (red, green, blue) = (UInt32(pixel.red), UInt32(pixel.green), UInt32(pixel.blue))
            let key =
                Self.coarse(UInt32(~pixel.alpha), by: shift) &<< 24 | (red &>> shift) &<< 16
                | (green &>> shift) &<< 8 | blue &>> shift
            add(SIMD4(truncatingIfNeeded: pixel.levels), count: 1, to: key)
            shownCount &+= 1
        }
    }

    /// Adds straight colours as opaque ones, which count as often as their alpha says, up to 255 times.
    mutating func addByAlpha(_ pixels: UnsafeBufferPointer<PalettePixel>) {
        for pixel in pixels where !pixel.isTransparent {
            let (red, green, blue) = (UInt32(pixel.red), UInt32(pixel.green), UInt32(pixel.blue))
            let key = (red &>> shift) &<< 16 | (green &>> shift) &<< 8 | blue &>> shift
            let levels = SIMD4(red, green, blue, 255) &* UInt32(pixel.alpha)
            add(SIMD4(truncatingIfNeeded: levels), count: UInt32(pixel.alpha), to: key)
            shownCount &+= 1
        }
    }

    /// What is missing from full alpha, rounded up, so that opaque pixels share no cell with others. It is
    /// less than 255 for shown pixels, so that none has the key `empty`.
    @inline(__always)
    private static func coarse(_ missing: UInt32, by shift: UInt32) -> UInt32 {
        (missing &+ (1 &<< shift &- 1)) &>> shift
    }

    /// The first slot of the search for a colour (the multiplications of MurmurHash3's finalizer).
    @inline(__always)
    static func slot(of key: UInt32) -> Int {
        var hash = (key ^ key &>> 16) &* 0x85EB_CA6B
        hash = (hash ^ hash &>> 13) &* 0xC2B2_AE35
        return Int(hash &>> 17)
    }

    @inline(__always)
    private mutating func add(_ levels: SIMD4<UInt64>, count: UInt32, to key: UInt32) {
        let start = Self.slot(of: key)
        var slot = start
        while keys[slot] != key, keys[slot] != Self.empty { slot = (slot &+ 1) & (Self.slots &- 1) }
        cells[slot] &+= levels
        counts[slot] &+= count
        if keys[slot] == key { return }
        keys[slot] = key
        cellCount &+= 1
        // Colours chosen to collide would otherwise make each search pass thousands of slots.
        let search = (slot &- start) & (Self.slots &- 1)
        if cellCount > Self.maximumCells || search > Self.maximumSearch { coarsen() }
    }

    private mutating func coarsen() {
        let fine = keys.indices.lazy.filter { [keys] in keys[$0] != Self.empty }
            .map { [keys, cells, counts] in (key: keys[$0], levels: cells[$0], count: counts[$0]) }
        let fineShift = shift
        shift += 1
        cellCount = 0
        keys = Array(repeating: Self.empty, count: Self.slots)
        cells = Array(repeating: SIMD4(), count: Self.slots)
        counts = Array(repeating: 0, count: Self.slots)
        for cell in fine {
            let joined = shift - fineShift
            let colors = (cell.key &>> joined) & ((0xFF &>> joined) &* 0x01_0101)
            add(
                cell.levels, count: cell.count,
                to: Self.coarse(cell.key &>> 24, by: joined) &<< 24 | colors)
        }
    }

    /// A group of similar colours: its mean, and the count of its pixels.
    struct Group {
        let color: SIMD4<UInt8>
        let count: Double
    }

    /// Computes a palette of 1...`limit` colours.
    func palette(upTo limit: Int) -> [SIMD4<UInt8>] { groups(upTo: limit).map(\.color) }

    /// Splits the box with the largest error until there are enough boxes (Heckbert, "Color image
    /// quantization for frame buffer display", 1982, with Wu's split criterion, 1991). Each box yields its
    /// mean. Opaque colours and others are in different boxes, unless `limit` is 1.
    func groups(upTo limit: Int) -> [Group] {
        let masses = zip(cells, counts).compactMap { levels, count -> ColorSums? in
            guard count > 0 else { return nil }
            let (count, sum) = (Double(count), SIMD4<Double>(levels))
            return ColorSums(count: count, sum: sum, squares: (sum * sum).sum() / count)
        }
        var boxes = ColorBoxes(masses, limit: limit)
        while boxes.count < limit, boxes.splitWorst() {}
        return boxes.masses.map { mass in
            Group(color: SIMD4(mass.mean, rounding: .toNearestOrAwayFromZero), count: mass.count)
        }
    }
}
