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

protocol ReducingImageProcessor: ImageProcessor {
    /// The size in pixels to which a file of `full` pixels is decoded; nil for full size, and empty if
    /// nothing is decoded.
    func decodedSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize?
}
