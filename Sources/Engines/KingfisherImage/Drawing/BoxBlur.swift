import Glibc

/// A Gaussian blur approximated by box filters, as feGaussianBlur in "Filter Effects Module Level 1" of the
/// W3C: boxes of floor(s * 3 * sqrt(2 pi) / 4 + 0.5) pixels, where s is the standard deviation.
///
/// Even sizes are increased by one, so that every box has a centre; small radii take fewer passes.
struct BoxBlur: Hashable {
    let reach: Int
    let passes: Int

    /// The blur for a radius in pixels; nil if it is not finite. Radii below 2 use the box of 2.
    init?(radius: Double) {
        guard radius.isFinite else { return nil }
        let deviation = min(max(radius, 2), Self.widest)
        let size = Int((deviation * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5).rounded(.down))
        reach = size / 2
        passes = radius < 0.5 ? 1 : radius < 1.5 ? 2 : 3
    }

    /// With a larger radius, any image within the limits becomes a single colour.
    private static let widest = 500_000.0
}
