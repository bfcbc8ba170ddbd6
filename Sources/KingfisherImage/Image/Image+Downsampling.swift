public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image shrunk so that its longer side fits the longer side of `size` points at `scale`; one that
    /// is smaller already, and any where `size` is not positive, keeps its pixels. Animations give their
    /// first frame.
    public func downsampled(to size: CGSize, scale: CGFloat) -> Image {
        downsampled(scale: scale) { $0.shrunk(toLongerSide: max(size.width, size.height) * scale) }
    }

    /// The image shrunk to the size in pixels that `target` gives for its full one; where that is nil, it
    /// keeps its pixels. Animations give their first frame.
    package func downsampled(scale: CGFloat, to target: (_ full: PixelSize) -> PixelSize?) -> Image {
        let still = firstFrame
        guard let pixels = still.kf.normalized.pixels, let target = target(pixels.size),
            let small = try? pixels.resized(to: target)
        else { return still.kf.scaled(to: scale) }
        return Image(pixels: small, scale: scale)
    }

    /// The first frame of an animation, which no longer knows of the others; a still itself.
    private var firstFrame: Image {
        guard !base.isStill else { return base }
        switch base.representation {
        case .empty, .still: return base
        case .frames(let frames, _): return frames.first ?? base
        case .source(_, let first):
            return Image(pixels: first, scale: base.scale, orientation: base.imageOrientation)
        }
    }
}

extension PixelBuffer {
    /// The pixels shrunk so that the longer side becomes `side`, in the same proportions; as they are where
    /// that is no smaller.
    package func shrunk(toLongerSide side: Double) throws(ImageCodecError) -> PixelBuffer {
        guard let target = size.shrunk(toLongerSide: side) else { return self }
        return try resized(to: target)
    }
}
