public import Foundation

/// Facts from a file's header, read without decoding pixels.
public struct ImageHeader: Hashable, Sendable {
    /// The stored size, before `orientation` is applied.
    public var size: PixelSize
    /// The orientation of the stored pixels.
    public var orientation: Image.Orientation = .up
    /// Whether the decoded image may have transparent pixels.
    public var hasAlpha: Bool = false
    /// Bits per sample in the file; 8 for the entries of a palette.
    public var bitsPerComponent: Int = 8
    /// Whether the file stores pixels losslessly; false for lossy encodings.
    ///
    /// Processed versions of the image are stored in the same way; see `ImageEncodingOptions.isLossless`.
    public var isLossless: Bool = false
    /// The timing of an animation; nil for stills.
    public var timing: AnimationTiming?
    /// The upright size from which processors compute their target, if the file can be decoded at any size:
    /// as large as the codec allows, in the exact shape of the image; `size` is then in points. Nil for files
    /// with pixels.
    public var scalableSize: PixelSize?

    /// Creates the header of an upright, opaque, lossy 8-bit still.
    public init(size: PixelSize) {
        self.size = size
    }

    /// The size after `orientation` is applied.
    public var displaySize: PixelSize { orientation.swapsSides ? size.swapped : size }
    /// The pixels for the file's size in points, if it can be decoded at any size.
    package func scaled(by scale: Double) -> PixelSize? {
        scalableSize?.shrunk(toLongerSide: Double(max(displaySize.width, displaySize.height)) * scale)
    }

    /// The upright size to which the file can be decoded at most.
    package var largestSize: PixelSize { scalableSize ?? displaySize }
    /// The number of frames in the file; 1 for stills.
    public var frameCount: Int { timing?.durations.count ?? 1 }

    /// Twice the bytes of a still's pixels, or the three canvases for composing the first frame of an
    /// animation (decision 046 lists what decoders need).
    var decodingMemory: Int {
        let format = PixelFormat(
            layout: .rgba, depth: bitsPerComponent > 8 ? .sixteen : .eight, alpha: .premultiplied)
        let bytes = PixelBuffer.byteCount(of: size, format: format)
        // External codecs may report any size.
        let (product, overflow) = bytes.multipliedReportingOverflow(by: frameCount > 1 ? 3 : 2)
        return overflow ? .max : product
    }
}

/// The frame durations and the loop count of an animation.
public struct AnimationTiming: Hashable, Sendable {
    /// The duration of each frame in seconds, in order.
    public var durations: [TimeInterval]
    /// How often the animation plays; 0 means forever.
    public var loopCount: Int

    /// Creates a timing; without `loopCount` the animation plays forever.
    public init(durations: [TimeInterval], loopCount: Int = 0) {
        self.durations = durations
        self.loopCount = loopCount
    }
}
