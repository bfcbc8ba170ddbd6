public import Foundation

/// A processor that makes the same of a file's bytes as of the image that they hold.
///
/// It gets the bytes of a cached original, and can decode them to the size that it needs; any other processor
/// gets the image that the request's serializer makes of them. Called on any thread.
public protocol ImageFileProcessor: ImageProcessor {
    /// The processors that `file` goes through, in order, where every frame of an animation is to be
    /// processed: the first one decodes it with all its frames. Asked for files that no registered codec
    /// reads. This processor alone, unless implemented.
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
