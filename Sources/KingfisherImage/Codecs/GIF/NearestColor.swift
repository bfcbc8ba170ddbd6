/// Finds the nearest of up to 256 colours by squared distance in sRGB; of equals, the first.
///
/// The first lookup in a cell of eight levels a side finds the few colours that can be nearest to any colour
/// in it; later lookups compare only those. All results are exact.
struct NearestColor {
    private let colors: [SIMD3<Int32>]
    /// For each cell, the start of its candidates (shifted by 9) and their number; 0 before the first lookup.
    private var cells = [UInt32](repeating: 0, count: 1 << 15)
    private var candidates: [UInt8] = []

    init(_ colors: [SIMD3<UInt8>]) {
        self.colors = colors.map { SIMD3(truncatingIfNeeded: $0) }
    }

    mutating func index(of color: SIMD3<UInt8>) -> UInt8 {
        let cell = Self.cell(of: color)
        if cells[cell] == 0 { cells[cell] = findCandidates(around: color) }
        let start = Int(cells[cell] &>> 9)
        let count = Int(cells[cell] & 511)
        var best = candidates[start]
        if count == 1 { return best }
        let color = SIMD3<Int32>(truncatingIfNeeded: color)
        var least = Int32.max
        for candidate in candidates[start..<start &+ count] {
            let difference = colors[Int(candidate)] &- color
            let distance = (difference &* difference).wrappedSum()
            if distance < least { (best, least) = (candidate, distance) }
        }
        return best
    }

    @inline(__always)
    private static func cell(of color: SIMD3<UInt8>) -> Int {
        Int(color.x &>> 3) &<< 10 | Int(color.y &>> 3) &<< 5 | Int(color.z &>> 3)
    }

    /// A colour is a candidate if its minimum distance to the cell is at most the smallest maximum distance.
    private mutating func findCandidates(around color: SIMD3<UInt8>) -> UInt32 {
        let low = SIMD3<Int32>(truncatingIfNeeded: color & SIMD3(repeating: 0xF8))
        let high = low &+ 7
        let zero = SIMD3<Int32>()
        var reach = Int32.max
        for color in colors {
            let farthest = pointwiseMax(color &- low, high &- color)
            reach = min(reach, (farthest &* farthest).wrappedSum())
        }
        let start = candidates.count
        for (number, color) in colors.enumerated() {
            let nearest = pointwiseMax(pointwiseMax(low &- color, color &- high), zero)
            if (nearest &* nearest).wrappedSum() <= reach { candidates.append(UInt8(number)) }
        }
        return UInt32(start) << 9 | UInt32(candidates.count - start)
    }
}
