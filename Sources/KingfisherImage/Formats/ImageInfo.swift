public import Foundation

/// What a file says about itself before its pixels are touched.
public struct ImageInfo: Hashable, Sendable {
    /// The file's format.
    public let format: ImageFormat
    /// Width in pixels, upright.
    public let width: Int
    /// Height in pixels, upright.
    public let height: Int
    /// Frames in the file; 1 for stills.
    public let frameCount: Int
    /// When the frames of an animation are shown, and how often; nil for stills.
    public let timing: AnimationTiming?
    /// How the stored pixels must be turned to stand upright; decoding does it.
    public let orientation: Image.Orientation
    /// Whether the file can hold transparent pixels.
    public let hasAlpha: Bool
    /// Bits of one sample.
    public let bitsPerComponent: Int
}

extension KingfisherWrapper where Base == Data {
    /// What the file says about itself; nil when no codec knows it or its header is broken.
    ///
    /// Reads the header on the caller's thread and decodes nothing.
    public var imageInfo: ImageInfo? {
        guard let codec = ImageCodecs.codec(for: base), let header = try? codec.header(of: base) else {
            return nil
        }
        return ImageInfo(
            format: codec.format, width: header.displaySize.width, height: header.displaySize.height,
            frameCount: header.frameCount, timing: header.timing, orientation: header.orientation,
            hasAlpha: header.hasAlpha, bitsPerComponent: header.bitsPerComponent)
    }
}
