import Glibc

/// A Gaussian blur made of box filters, as "Filter Effects Module Level 1" of the W3C approximates
/// feGaussianBlur: boxes of floor(s * 3 * sqrt(2 pi) / 4 + 0.5) pixels, s being the standard deviation.
///
/// Even sizes grow by one, so that every box has a middle; small radii take fewer passes.
struct BoxBlur: Hashable {
    /// Pixels that each box reaches to either side of its middle.
    let reach: Int
    /// How often each axis is filtered.
    let passes: Int

    /// The blur of a radius in pixels; nil when it is not finite. Below 2 the box of 2 serves.
    init?(radius: Double) {
        guard radius.isFinite else { return nil }
        let deviation = min(max(radius, 2), Self.widest)
        let size = Int((deviation * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5).rounded(.down))
        reach = size / 2
        passes = radius < 0.5 ? 1 : radius < 1.5 ? 2 : 3
    }

    /// Beyond, any image within the limits is one colour already.
    private static let widest = 500_000.0
}
