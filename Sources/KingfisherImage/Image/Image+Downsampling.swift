public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image shrunk so that its longer side equals the longer side of `size` points at `scale`.
    ///
    /// An image that is already smaller keeps its pixels, and so does every image if `size` is not positive.
    /// An animation gives its first frame.
    public func downsampled(to size: CGSize, scale: CGFloat) -> Image {
        downsampled(scale: scale) { $0.shrunk(toLongerSide: max(size.width, size.height) * scale) }
    }

    package func downsampled(scale: CGFloat, to target: (_ full: PixelSize) -> PixelSize?) -> Image {
        let still = firstFrame
        guard let pixels = still.kf.normalized.pixels, let target = target(pixels.size),
            let small = try? pixels.resized(to: target)
        else { return still.kf.scaled(to: scale) }
        return Image(pixels: small, scale: scale)
    }

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
    package func shrunk(toLongerSide side: Double) throws(ImageCodecError) -> PixelBuffer {
        guard let target = size.shrunk(toLongerSide: side) else { return self }
        return try resized(to: target)
    }
}
