import Foundation

/// A processor of this package that makes the same of a file's bytes as of the image that they hold.
private protocol FileImageProcessor: ImageProcessor {}

extension DefaultImageProcessor: FileImageProcessor {}
extension DownsamplingImageProcessor: FileImageProcessor {}
extension ResizingImageProcessor: FileImageProcessor {}
extension CroppingImageProcessor: FileImageProcessor {}
extension RoundCornerImageProcessor: FileImageProcessor {}
extension BorderImageProcessor: FileImageProcessor {}
extension BlendImageProcessor: FileImageProcessor {}
extension BlurImageProcessor: FileImageProcessor {}
extension OverlayImageProcessor: FileImageProcessor {}
extension TintImageProcessor: FileImageProcessor {}
extension ColorControlsProcessor: FileImageProcessor {}
extension BlackWhiteProcessor: FileImageProcessor {}

extension ImageProcessor {
    /// Whether this processor may be handed the bytes of a cached file in place of the decoded image.
    ///
    /// One of a user may not: it relies on the serializer having decoded them.
    func decodesFile(_ file: Data) -> Bool {
        (self as? any CompositeImageProcessor)?.decodesFile(file) ?? (self is any FileImageProcessor)
    }
}
