import Foundation
import KingfisherImage

/// The screen pixels that a view covers, and how an image is fitted to them.
///
/// Exact, without rounding to steps: one cell size gives one variant, which is drawn without resampling.
struct ViewPixelBox: Hashable, Sendable {
    let pixels: PixelBox
    let scale: CGFloat
    /// The size in pixels; a side of 0 sets no limit.
    var size: PixelSize { pixels.size }

    /// Nil if the image is shown at its own size: for content modes that do not scale, and for a view without
    /// a size.
    init?(_ display: ViewDisplay, contentMode: ViewContentMode) {
        let fit: PixelBox.Fit
        switch contentMode {
        case .scaleAspectFit: fit = .inside
        // A stretched image needs enough pixels along both sides.
        case .scaleAspectFill, .scaleToFill, .redraw: fit = .covering
        case .center, .top, .bottom, .left, .right, .topLeft, .topRight, .bottomLeft, .bottomRight:
            return nil
        }
        scale = display.scaleFactor
        guard scale.isFinite, scale > 0 else { return nil }
        let size = PixelSize(
            width: Self.pixels(display.size.width * scale), height: Self.pixels(display.size.height * scale))
        guard size.width > 0 || size.height > 0 else { return nil }
        pixels = PixelBox(size, fit)
    }

    /// Rounds partly covered pixels up, but not rounding errors of the multiplication.
    private static func pixels(_ length: Double) -> Int {
        length.isFinite ? Int(min(max((length - 1e-6).rounded(.up), 0), 1e6)) : 0
    }

    /// The size to which an image of `full` pixels is reduced, with the same aspect ratio; nil if it is not
    /// larger than the box.
    func target(for full: PixelSize) -> PixelSize? { pixels.shrunkSize(of: full) }
}
