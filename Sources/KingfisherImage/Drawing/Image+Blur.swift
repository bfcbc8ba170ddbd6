public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image blurred by about a Gaussian whose standard deviation is `radius` pixels, edges extended.
    ///
    /// Radii below 2 count as 2, in fewer passes below 1.5. The result is 8-bit RGBA at the same scale; an
    /// animation gives its first frame. The image itself when `radius` is not finite or a side is above a
    /// million pixels (`ImageLimits.maximumFilteredSide`). Works on the caller's thread. The boxes are those
    /// of the W3C's feGaussianBlur ("Filter Effects Module Level 1").
    public func blurred(withRadius radius: CGFloat) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            guard let blur = BoxBlur(radius: radius) else { return nil }
            return try pixels.blurred(blur)
        }
    }
}
