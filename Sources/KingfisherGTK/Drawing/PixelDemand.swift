import Foundation
import KingfisherImage

/// How many of an image's pixels are seen, and thus which copies of it may be drawn. Figures: decision 019.
struct PixelDemand: Hashable, Sendable {
    /// Up to so many pixels are given to GTK however few of them are seen: on a GPU that takes a millisecond.
    static let freePixels = 1 << 19
    /// Pixels of the screen that one of a copy may be stretched over, along each side, before a larger one is
    /// made.
    static let stretchLimit = 1.25
    /// Likewise the least of them that is worth drawing; below, a smaller copy is made.
    static let shrinkLimit = 0.5

    private let pixels: PixelSize
    /// Pixels of the screen for one of the image, along the side that has more of them.
    private let ratio: Double

    /// Nil for a large image in a place that has no room, or none yet.
    init?(of image: Image, in place: ImagePlacement) {
        let frame = place.contentMode.frame(of: image.size, in: place.size)
        let stretch = max(frame.width / image.size.width, frame.height / image.size.height)
        self.init(pixels: image.pixels?.size, ratio: stretch * place.scale / image.scale)
    }

    /// For an image of so many `pixels` that covers `ratio` times as many of the screen, along each side.
    init?(pixels: PixelSize?, ratio: Double) {
        guard let pixels, !pixels.isEmpty else { return nil }
        let isSeen = ratio.isFinite && ratio > 0
        guard isSeen || pixels.area <= Self.freePixels else { return nil }
        self.pixels = pixels
        self.ratio = isSeen ? ratio : 1
    }

    /// Every pixel of `image`: it moves, and a copy of each frame would cost more than it saves.
    init?(everyPixelOf image: Image) {
        self.init(pixels: image.pixels?.size, ratio: 1)
    }

    /// The smallest copy that is not stretched.
    var level: MipLevel {
        isMet(by: .full) ? .full : MipLevel(steps: Int((-2 * log2(ratio) + 1e-9).rounded(.down)))
    }

    /// Whether a copy of `level` is good enough, and not far too much.
    func isMet(by level: MipLevel) -> Bool {
        let stretch = ratio * level.divisor
        guard level == .full || stretch <= Self.stretchLimit else { return false }
        return stretch >= Self.shrinkLimit || level.size(of: pixels).area <= Self.freePixels
    }
}
