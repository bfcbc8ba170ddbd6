public import Foundation

/// Facts about an image file, read from its header without decoding pixels.
public struct ImageInfo: Hashable, Sendable {
    /// The file's format.
    public let format: ImageFormat
    /// Width in pixels, after the orientation is applied.
    public let width: Int
    /// Height in pixels, after the orientation is applied.
    public let height: Int
    /// The number of frames in the file; 1 for stills.
    public let frameCount: Int
    /// The frame durations and loop count of an animation; nil for stills.
    public let timing: AnimationTiming?
    /// The orientation of the stored pixels; decoding applies it.
    public let orientation: Image.Orientation
    /// Whether the file can hold transparent pixels.
    public let hasAlpha: Bool
    /// Bits per sample.
    public let bitsPerComponent: Int
}

extension KingfisherWrapper where Base == Data {
    /// Facts from the file's header; nil if no codec recognizes the bytes or the header is malformed.
    ///
    /// Reads the header on the caller's thread and decodes nothing.
    public var imageInfo: ImageInfo? {
        guard let file = try? ImageCodecs.open(base) else { return nil }
        let header = file.header
        return ImageInfo(
            format: file.codec.format, width: header.displaySize.width, height: header.displaySize.height,
            frameCount: header.frameCount, timing: header.timing, orientation: header.orientation,
            hasAlpha: header.hasAlpha, bitsPerComponent: header.bitsPerComponent)
    }
}
