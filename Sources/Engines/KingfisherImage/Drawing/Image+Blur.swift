public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image with an approximated Gaussian blur whose standard deviation is `radius` pixels, edges
    /// extended.
    ///
    /// Radii below 2 count as 2, with fewer passes below 1.5. The result is RGBA of the same depth and scale;
    /// an animation gives its first frame. Returns the image itself if `radius` is not finite or a side
    /// exceeds a million pixels (`ImageLimits.maximumFilteredSide`). Works on the caller's thread. The boxes
    /// are the same as in the W3C's feGaussianBlur ("Filter Effects Module Level 1").
    public func blurred(withRadius radius: CGFloat) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            guard let blur = BoxBlur(radius: radius) else { return nil }
            return try pixels.blurred(blur)
        }
    }
}
