import Foundation
import KingfisherImage

/// How far an image was shrunk before GTK got it: both sides divided by the square root of two, `steps`
/// times.
///
/// In steps, so that views of nearby sizes share one copy.
struct MipLevel: Hashable, Sendable {
    let steps: Int

    /// The image itself.
    static let full = MipLevel(steps: 0)

    /// Pixels of the image for one of the copy, along each side.
    var divisor: Double { exp2(Double(steps) / 2) }

    /// The copy's size for an image of `full` pixels.
    func size(of full: PixelSize) -> PixelSize {
        PixelSize(width: side(of: full.width), height: side(of: full.height))
    }

    /// The copy of `pixels`, by Lanczos; the pixels themselves where there is no memory for one.
    func copy(of pixels: PixelBuffer) -> PixelBuffer {
        guard self != .full else { return pixels }
        return (try? pixels.resized(to: size(of: pixels.size))) ?? pixels
    }

    /// Rounded up, but not for what is left of a division.
    private func side(of full: Int) -> Int {
        max(1, Int((Double(full) / divisor - 1e-6).rounded(.up)))
    }
}
