import Glibc

/// The exact part of each pixel outside a rounded corner: the area between the corner's square and its
/// quarter circle.
///
/// Pixel (0, 0) is the outermost of the image; the other three corners are mirrored. The corner may be
/// `inset` pixels inside the image. The area under the circle is the integral of sqrt(r^2 - u^2) between the
/// pixel's sides.
struct CornerCoverage {
    let radius: Double
    let inset: Double
    let side: Int

    init(radius: Double, inset: Double = 0) {
        self.radius = radius
        self.inset = inset
        side = radius > 0 ? Int((inset + radius).rounded(.up)) : 0
    }

    /// Computes row `y` of the corner. Returns the number of pixels entirely outside the circle, then calls
    /// `areas` with the outside part (0...1) of each partly covered pixel; the rest are inside.
    func row(_ y: Int, areas: (Double) -> Void) -> Int {
        // Distances from the circle's centre, so they decrease as x and y grow.
        let center = inset + radius
        let (low, high) = (max(0, center - Double(y) - 1), min(radius, center - Double(y)))
        guard high > low else { return 0 }
        let (narrowest, widest) = (half(chordAt: high), half(chordAt: low))
        let outside = max(0, Int((center - widest).rounded(.down)))
        for x in outside..<side {
            let (left, right) = (max(0, center - Double(x) - 1), min(radius, center - Double(x)))
            guard right > narrowest else { break }
            areas((right - left) * (high - low) - areaInside(left, right, low, high))
        }
        return outside
    }

    private func areaInside(_ left: Double, _ right: Double, _ low: Double, _ high: Double) -> Double {
        // Left of `full` the circle is above `high`, right of `empty` below `low`.
        let full = min(max(half(chordAt: high), left), right)
        let empty = min(max(half(chordAt: low), left), right)
        let (near, far) = (areaUnderCircle(upTo: full), areaUnderCircle(upTo: empty))
        return (full - left) * (high - low) + far - near - low * (empty - full)
    }

    private func half(chordAt distance: Double) -> Double {
        distance >= radius ? 0 : (radius * radius - distance * distance).squareRoot()
    }

    private func areaUnderCircle(upTo u: Double) -> Double {
        let ratio = min(u / radius, 1)
        return (u * half(chordAt: u) + radius * radius * asin(ratio)) / 2
    }
}
