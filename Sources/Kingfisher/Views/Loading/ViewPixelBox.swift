import Foundation
import KingfisherImage

/// The pixels of the screen that a view covers, and how an image is to be fitted to them.
///
/// To the pixel, without rounding to steps: one size of cell gives one variant, and that is drawn without
/// being resampled a second time.
struct ViewPixelBox: Hashable, Sendable {
    /// Which sides of the box an image must reach.
    enum Fit: String, Sendable {
        /// One, so that all of it is inside.
        case inside = "aspectFit"
        /// Both, so that it covers the box.
        case covering = "aspectFill"
    }

    /// Pixels across and down; a side of 0 asks for nothing.
    let size: PixelSize
    let fit: Fit
    /// Pixels per point.
    let scale: CGFloat

    /// Nil where the image is wanted at its own size: by the modes that do not scale it, and by a view that
    /// has no size.
    init?(_ display: ViewDisplay, contentMode: ViewContentMode) {
        switch contentMode {
        case .scaleAspectFit: fit = .inside
        // Stretched pixels are wanted along both sides, too.
        case .scaleAspectFill, .scaleToFill, .redraw: fit = .covering
        case .center, .top, .bottom, .left, .right, .topLeft, .topRight, .bottomLeft, .bottomRight:
            return nil
        }
        scale = display.scaleFactor
        guard scale.isFinite, scale > 0 else { return nil }
        size = PixelSize(
            width: Self.pixels(display.size.width * scale), height: Self.pixels(display.size.height * scale))
        guard size.width > 0 || size.height > 0 else { return nil }
    }

    /// A pixel that is covered in part needs its image; what is left of a multiplication does not.
    private static func pixels(_ length: Double) -> Int {
        length.isFinite ? Int(min(max((length - 1e-6).rounded(.up), 0), 1e6)) : 0
    }

    /// The size, in the same proportions, to which an image of `full` pixels shrinks; nil when it is no
    /// larger.
    func target(for full: PixelSize) -> PixelSize? {
        let across = Double(size.width) / Double(full.width)
        let down = Double(size.height) / Double(full.height)
        let ratio =
            switch fit {
            case .covering: max(across, down)
            case .inside: min(across > 0 ? across : down, down > 0 ? down : across)
            }
        guard ratio < 1 else { return nil }
        return PixelSize(
            width: max(1, Int((Double(full.width) * ratio).rounded())),
            height: max(1, Int((Double(full.height) * ratio).rounded())))
    }
}
