package import Foundation

extension KingfisherWrapper where Base == Image {
    /// The picture shrunk so that its longer side fits the longer side of `size` points at `scale`; one that is
    /// smaller already, and any where `size` is not positive, keeps its pixels. Animations give their first frame.
    package func downsampled(to size: CGSize, scale: CGFloat) -> Image {
        guard let pixels = normalized.pixels,
            let target = pixels.size.shrunk(toLongerSide: max(size.width, size.height) * scale),
            let small = try? pixels.resized(to: target)
        else { return scaled(to: scale) }
        return Image(pixels: small, scale: scale)
    }
}
