import Glibc

/// How much of each pixel a rounded corner leaves out, exactly: the area between the corner's square and its
/// quarter circle.
///
/// Pixel (0, 0) is the outermost; the other three corners are mirror images. The area under the circle is the
/// integral of sqrt(r^2 - u^2), cut at the pixel's sides.
struct CornerCoverage {
    /// The circle's radius in pixels.
    let radius: Double
    /// Pixels along either side that the corner touches.
    let side: Int

    init(radius: Double) {
        self.radius = radius
        side = Int(radius.rounded(.up))
    }

    /// Tells how much of each pixel of the corner's row `y` lies outside, 0...1, for the pixels that do.
    func row(_ y: Int, missing: (_ x: Int, _ area: Double) -> Void) {
        // Distances from the circle's centre, so they fall while x and y grow; the part beyond it is whole.
        let (low, high) = (max(0, radius - Double(y) - 1), radius - Double(y))
        guard high > low else { return }
        let (narrowest, widest) = (half(chordAt: high), half(chordAt: low))
        for x in 0..<side {
            let (left, right) = (max(0, radius - Double(x) - 1), radius - Double(x))
            let cell = (right - left) * (high - low)
            if left >= widest {
                missing(x, cell)
            } else if right > narrowest {
                missing(x, cell - areaInside(left, right, low, high))
            } else {
                return
            }
        }
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
