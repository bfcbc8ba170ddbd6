import Foundation
import KingfisherImage

struct FrameScale: Hashable, Sendable {
    /// Pixels of a decoded frame per pixel of the file, along each side; above 0, at most 1.
    let ratio: Double
    /// Screen pixels per point that this was computed for; nil before the view was on a screen.
    let scaleFactor: Double?

    static let full = FrameScale(ratio: 1, scaleFactor: nil)

    /// The scale for showing an image of `size` points at `scale` pixels per point on `display`; nil if
    /// either has no size.
    init?(of size: CGSize, scale: CGFloat, contentMode: ViewContentMode, on display: ViewDisplay) {
        let frame = contentMode.frame(of: size, in: display.size)
        guard frame.width > 0, frame.height > 0 else { return nil }
        let stretch = max(frame.width / size.width, frame.height / size.height)
        let needed = stretch * display.scaleFactor / scale
        guard needed.isFinite, needed > 0 else { return nil }
        self.init(ratio: min(needed, 1), scaleFactor: display.scaleFactor)
    }

    private init(ratio: Double, scaleFactor: Double?) {
        (self.ratio, self.scaleFactor) = (ratio, scaleFactor)
    }

    /// The scale to decode for a view that needs `needed` and has frames of this scale.
    ///
    /// Smaller views keep their frames. A view that grows gets up to a fifth more than it needs, so that
    /// resizing a window decodes frames four times per doubling, not continuously.
    func changed(to needed: FrameScale) -> FrameScale {
        guard scaleFactor == needed.scaleFactor else { return needed }
        if needed.ratio <= ratio { return self }
        let step = exp2((log2(needed.ratio) * 4).rounded(.up) / 4)
        return FrameScale(ratio: min(step, 1), scaleFactor: scaleFactor)
    }

    func pixels(of size: PixelSize) -> PixelSize {
        PixelSize(
            width: max(1, Int((Double(size.width) * ratio - 1e-6).rounded(.up))),
            height: max(1, Int((Double(size.height) * ratio - 1e-6).rounded(.up))))
    }
}
