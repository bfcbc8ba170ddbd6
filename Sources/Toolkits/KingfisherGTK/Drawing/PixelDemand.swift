import Foundation
import KingfisherImage

/// How many of an image's pixels are visible, and therefore which copies of it may be drawn. Figures:
/// decision 019.
struct PixelDemand: Hashable, Sendable {
    /// An image of at most this many pixels is never shrunk: a GPU takes a millisecond for it.
    static let freePixels = 1 << 19
    /// The most device pixels that one pixel of a copy may cover along each side, before a larger copy is
    /// made.
    static let stretchLimit = 1.25
    /// The fewest device pixels that one pixel of a copy may cover; below, a smaller copy is made.
    static let shrinkLimit = 0.5

    private let pixels: PixelSize
    /// Device pixels per image pixel, along the side with the larger ratio.
    private let ratio: Double

    /// Nil for a large image whose placement has no area, or none yet.
    init?(of image: Image, in place: ImagePlacement) {
        let frame = place.contentMode.frame(of: image.size, in: place.size)
        let stretch = max(frame.width / image.size.width, frame.height / image.size.height)
        self.init(pixels: image.pixels?.size, ratio: stretch * place.scale / image.scale)
    }

    init?(pixels: PixelSize?, ratio: Double) {
        guard let pixels, !pixels.isEmpty else { return nil }
        let isSeen = ratio.isFinite && ratio > 0
        guard isSeen || pixels.area <= Self.freePixels else { return nil }
        self.pixels = pixels
        self.ratio = isSeen ? ratio : 1
    }

    /// Demands every pixel of an animated image: a copy of each frame would cost more than it saves.
    init?(everyPixelOf image: Image) {
        self.init(pixels: image.pixels?.size, ratio: 1)
    }

    var level: MipLevel {
        isMet(by: .full) ? .full : MipLevel(steps: Int((-2 * log2(ratio) + 1e-9).rounded(.down)))
    }

    func isMet(by level: MipLevel) -> Bool {
        let stretch = ratio * level.divisor
        guard level == .full || stretch <= Self.stretchLimit else { return false }
        return stretch >= Self.shrinkLimit || level.size(of: pixels).area <= Self.freePixels
    }
}
