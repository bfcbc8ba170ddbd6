public import Foundation

/// A processor that makes the same of a file's bytes as of the image that they hold.
///
/// Where the request's serializer is an `ImageFileCacheSerializer`, it gets the bytes of a cached original,
/// and can decode them to the size that it needs. Any other processor gets the image that the serializer
/// makes of them, and the bytes only where such a serializer cannot read them. Called on any thread.
public protocol ImageFileProcessor: ImageProcessor {
    /// The processors that `file` goes through, in order, the first of which decodes it, with all its frames
    /// where every frame of an animation is to be processed. This processor alone, unless implemented, and
    /// where the array is empty.
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
    /// Whether this processor may be handed the bytes of a cached file in place of the decoded image.
    ///
    /// Others rely on the serializer having decoded them.
    func decodesFile(_ file: Data) -> Bool {
        (self as? any CompositeImageProcessor)?.decodesFile(file) ?? (self is any ImageFileProcessor)
    }
}

/// A processor that decodes a file to fewer pixels than it has.
protocol ReducingImageProcessor: ImageProcessor {
    /// The size in pixels that a file of `full` pixels is decoded to; nil for its own size, and empty where
    /// nothing is decoded.
    func decodedSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize?
}
