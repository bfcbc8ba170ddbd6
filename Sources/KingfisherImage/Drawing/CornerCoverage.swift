import Glibc

/// How much of each pixel a rounded corner leaves out, exactly: the area between the corner's square and its
/// quarter circle.
///
/// Pixel (0, 0) is the image's outermost; the other three corners are mirror images. The corner may lie
/// `inset` pixels inside the image. The area under the circle is the integral of sqrt(r^2 - u^2), cut at
/// the pixel's sides.
struct CornerCoverage {
    /// The circle's radius in pixels.
    let radius: Double
    /// From the image's sides to the corner's.
    let inset: Double
    /// Pixels along either side that the corner touches, the inset included.
    let side: Int

    init(radius: Double, inset: Double = 0) {
        self.radius = radius
        self.inset = inset
        side = radius > 0 ? Int((inset + radius).rounded(.up)) : 0
    }

    /// Of the corner's row `y`: how many pixels lie wholly outside the circle, and after `areas`, which is
    /// told of the next ones in turn what lies outside of each, 0...1, the rest lie inside.
    func row(_ y: Int, areas: (Double) -> Void) -> Int {
        // Distances from the circle's centre, so they fall while x and y grow.
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

    /// The area of the part of [`left`, `right`] x [`low`, `high`] that the quarter circle covers.
    private func areaInside(_ left: Double, _ right: Double, _ low: Double, _ high: Double) -> Double {
        // Up to `full` the circle is above `high`, from `empty` on below `low`.
        let full = min(max(half(chordAt: high), left), right)
        let empty = min(max(half(chordAt: low), left), right)
        return (full - left) * (high - low) + integral(empty) - integral(full) - low * (empty - full)
    }

    private func half(chordAt distance: Double) -> Double {
        distance >= radius ? 0 : (radius * radius - distance * distance).squareRoot()
    }

    /// The integral of the circle's height from 0 to `u`.
    private func integral(_ u: Double) -> Double {
        let ratio = min(u / radius, 1)
        return (u * half(chordAt: u) + radius * radius * asin(ratio)) / 2
    }
}
