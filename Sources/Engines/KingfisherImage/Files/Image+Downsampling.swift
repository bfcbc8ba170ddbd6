public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image shrunk so that its longer side equals the longer side of `size` points at `scale`.
    ///
    /// An image that is already smaller keeps its pixels, and so does every image if `size` is not positive.
    /// An unprocessed image of a file that can be decoded at any size, such as SVG, is decoded again. An
    /// animation gives its first frame.
    public func downsampled(to size: CGSize, scale: CGFloat) -> Image {
        downsampled(scale: scale) { $0.shrunk(toLongerSide: max(size.width, size.height) * scale) }
    }

    package func downsampled(scale: CGFloat, to target: (_ full: PixelSize) -> PixelSize?) -> Image {
        if let file = scalableFile, let image = try? Image.downsample(file, scale: scale, to: target) {
            return image
        }
        let still = firstFrame
        guard let pixels = still.kf.normalized.pixels, let target = target(pixels.size),
            let small = try? pixels.resized(to: target)
        else { return still.kf.scaled(to: scale) }
        return Image(pixels: small, scale: scale)
    }

    /// Whether the image was decoded from a file that can be decoded at any size, and not processed.
    package var isScalable: Bool { base.withState(\.isScalable) }

    private var scalableFile: Data? { base.withState { $0.isScalable ? $0.fileBytes : nil } }

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
