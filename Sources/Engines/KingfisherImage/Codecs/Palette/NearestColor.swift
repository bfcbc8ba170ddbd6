/// Finds the nearest of up to 256 colours by squared distance in sRGB and alpha; of equals, the first.
///
/// The first lookup in a cell of eight levels a side (16 of alpha) finds the few colours that can be nearest
/// to any colour in it; later lookups compare only those. All results are exact. An opaque colour gets an
/// opaque one, if there is one.
struct NearestColor {
    private let colors: [SIMD4<Int32>]
    /// Among opaque colours, the alpha of a colour does not matter.
    private let isOpaque: Bool
    private let hasOpaque: Bool
    /// For each cell, the start of its candidates (shifted by 9) and their number; 0 before the first lookup.
    private var cells: [UInt32]
    private var candidates: [UInt8] = []
    /// The cells of opaque colours, after the 16 ranges of alpha.
    private static let opaqueCells = 16

    init(_ colors: [SIMD4<UInt8>]) {
        self.colors = colors.map { SIMD4(truncatingIfNeeded: $0) }
        isOpaque = colors.allSatisfy { $0.w == 255 }
        hasOpaque = colors.contains { $0.w == 255 }
        cells = [UInt32](repeating: 0, count: (isOpaque ? 1 : Self.opaqueCells + 1) << 15)
    }

    mutating func index(of color: SIMD4<UInt8>) -> UInt8 {
        let cell = cell(of: color)
        if cells[cell] == 0 { cells[cell] = findCandidates(around: color) }
        let start = Int(cells[cell] &>> 9)
        let count = Int(cells[cell] & 511)
        var best = candidates[start]
        if count == 1 { return best }
        let color = SIMD4<Int32>(truncatingIfNeeded: color)
        var least = Int32.max
        for candidate in candidates[start..<start &+ count] {
            let difference = colors[Int(candidate)] &- color
            let distance = (difference &* difference).wrappedSum()
            if distance < least { (best, least) = (candidate, distance) }
        }
        return best
    }

    @inline(__always)
    private func cell(of color: SIMD4<UInt8>) -> Int {
        let cube = Int(color.x &>> 3) &<< 10 | Int(color.y &>> 3) &<< 5 | Int(color.z &>> 3)
        if isOpaque { return cube }
        let alpha = hasOpaque && color.w == 255 ? Self.opaqueCells : Int(color.w &>> 4)
        return alpha &<< 15 | cube
    }

    /// A colour is a candidate if its minimum distance to the cell is at most the smallest maximum distance.
    private mutating func findCandidates(around color: SIMD4<UInt8>) -> UInt32 {
        var low = SIMD4<Int32>(truncatingIfNeeded: color & SIMD4(0xF8, 0xF8, 0xF8, 0xF0))
        var high = low &+ SIMD4(7, 7, 7, 15)
        let needsOpaque = isOpaque || hasOpaque && color.w == 255
        if needsOpaque { (low.w, high.w) = (255, 255) }
        let zero = SIMD4<Int32>()
        var reach = Int32.max
        for color in colors where !needsOpaque || color.w == 255 {
            let farthest = pointwiseMax(color &- low, high &- color)
            reach = min(reach, (farthest &* farthest).wrappedSum())
        }
        let start = candidates.count
        for (number, color) in colors.enumerated() where !needsOpaque || color.w == 255 {
            let nearest = pointwiseMax(pointwiseMax(low &- color, color &- high), zero)
            if (nearest &* nearest).wrappedSum() <= reach { candidates.append(UInt8(number)) }
        }
        return UInt32(start) << 9 | UInt32(candidates.count - start)
    }
}
