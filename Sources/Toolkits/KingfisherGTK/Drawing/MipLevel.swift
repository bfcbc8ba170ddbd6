import Foundation
import KingfisherImage

/// How much an image was shrunk before GTK received it: both sides divided by the square root of two, `steps`
/// times.
///
/// Steps let views of similar sizes share one copy.
struct MipLevel: Hashable, Sendable {
    let steps: Int

    static let full = MipLevel(steps: 0)

    /// Image pixels per pixel of the copy, along each side.
    var divisor: Double { exp2(Double(steps) / 2) }

    func size(of full: PixelSize) -> PixelSize {
        PixelSize(width: side(of: full.width), height: side(of: full.height))
    }

    /// A Lanczos copy of `pixels`, or `pixels` if there is not enough memory.
    func copy(of pixels: PixelBuffer) -> PixelBuffer {
        guard self != .full else { return pixels }
        return (try? pixels.resized(to: size(of: pixels.size))) ?? pixels
    }

    /// Rounds up, except for floating-point error.
    private func side(of full: Int) -> Int {
        max(1, Int((Double(full) / divisor - 1e-6).rounded(.up)))
    }
}
