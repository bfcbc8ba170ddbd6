public import Foundation

/// A processor with the same result for a file's bytes as for its decoded image.
///
/// If the request's serializer is an `ImageFileCacheSerializer`, the processor gets the bytes of a cached
/// original and can decode them at the size that it needs. Any other processor gets the image decoded by the
/// serializer, and the bytes only if such a serializer cannot read them. Called on any thread.
public protocol ImageFileProcessor: ImageProcessor {
    /// Returns the processors for `file`, in order. The first one decodes it, with all frames if every frame
    /// of an animation is processed. By default, and for an empty array, it is this processor alone.
    func stages(decoding file: Data) -> [any ImageProcessor]
}

extension ImageFileProcessor {
    public func stages(decoding file: Data) -> [any ImageProcessor] { [self] }
}

extension DefaultImageProcessor: ImageFileProcessor {}
extension DownsamplingImageProcessor: ImageFileProcessor {}
extension FittingImageProcessor: ImageFileProcessor {}
extension CoveringImageProcessor: ImageFileProcessor {}
extension ResizingImageProcessor: ImageFileProcessor {}
extension CroppingImageProcessor: ImageFileProcessor {}
extension RoundCornerImageProcessor: ImageFileProcessor {}
extension BorderImageProcessor: ImageFileProcessor {}
extension BlendImageProcessor: ImageFileProcessor {}
extension BlurImageProcessor: ImageFileProcessor {}
extension OverlayImageProcessor: ImageFileProcessor {}
extension TintImageProcessor: ImageFileProcessor {}
extension ColorControlsProcessor: ImageFileProcessor {}
extension BlackWhiteProcessor: ImageFileProcessor {}

extension ImageProcessor {
    /// Whether this processor may get the bytes of a cached file instead of the decoded image.
    ///
    /// Other processors rely on the serializer to decode them.
    func decodesFile(_ file: Data) -> Bool {
        (self as? any CompositeImageProcessor)?.decodesFile(file) ?? (self is any ImageFileProcessor)
    }
}

/// A processor that chooses the size from a file's header, and decodes no more pixels.
protocol ReducingImageProcessor: ImageProcessor {
    /// The size in pixels to which a file of `full` pixels is decoded; nil for full size, and empty if
    /// nothing is decoded.
    func decodedSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize?

    /// The size in pixels of the result if it is made from the decoded image, which is then in memory at the
    /// same time; nil if the result is the decoded image, as by default.
    func resultSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize?
}

extension ReducingImageProcessor {
    func resultSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize? { nil }
}

extension ImageProcessItem {
    /// The image at the size that `target` returns for its full size, from no more pixels than needed. If
    /// `target` returns nil, the image keeps its pixels. An animation gives its first frame.
    func reduced(
        with options: KingfisherParsedOptionsInfo, to target: (_ full: PixelSize) -> PixelSize?
    ) -> KFCrossPlatformImage? {
        switch self {
        case .data(let data):
            try? KFCrossPlatformImage.downsample(
                data, scale: options.scaleFactor, acceptsPartialImages: options.acceptsPartialImages,
                to: target)
        case .image(let image):
            image.kf.downsampled(scale: options.scaleFactor, to: target)
        }
    }
}
