public import Foundation

/// What a file says about itself before its pixels are touched.
public struct ImageHeader: Hashable, Sendable {
    /// The stored size, before `orientation` is applied.
    public var size: PixelSize
    /// How the stored pixels must be turned to stand upright.
    public var orientation: Image.Orientation = .up
    /// Whether the decoded image has an alpha that is not everywhere full.
    public var hasAlpha: Bool = false
    /// Bits of one sample as the file stores it; a palette's entries have 8.
    public var bitsPerComponent: Int = 8
    /// Whether the file keeps every pixel it was given, as far as its format can say them; false for lossy
    /// encodings.
    ///
    /// What a processor makes of the image is stored in the same way; see
    /// `ImageEncodingOptions.isLossless`.
    public var isLossless: Bool = false
    /// When the frames of an animation are shown; nil for stills.
    public var timing: AnimationTiming?

    /// Describes an upright, opaque, lossy still of 8 bits.
    public init(size: PixelSize) {
        self.size = size
    }

    /// The size of the image as people see it, after `orientation`.
    public var displaySize: PixelSize { orientation.swapsSides ? size.swapped : size }
    /// Frames in the file; 1 for stills.
    public var frameCount: Int { timing?.durations.count ?? 1 }

    /// Bytes of all pixels of a still and as many beside them, or of the three canvases that composing the
    /// first frame of an animation takes (decision 046 has what decoders take).
    var decodingMemory: Int {
        let format = PixelFormat(
            layout: .rgba, depth: bitsPerComponent > 8 ? .sixteen : .eight, alpha: .premultiplied)
        let bytes = PixelBuffer.byteCount(of: size, format: format)
        // Codecs from outside may say anything.
        let (product, overflow) = bytes.multipliedReportingOverflow(by: frameCount > 1 ? 3 : 2)
        return overflow ? .max : product
    }
}

/// How long the frames of an animation are shown, and how often.
public struct AnimationTiming: Hashable, Sendable {
    /// Seconds of each frame, in order.
    public var durations: [TimeInterval]
    /// How often the animation plays; 0 means for ever.
    public var loopCount: Int

    /// Describes an animation; for ever where `loopCount` is not given.
    public init(durations: [TimeInterval], loopCount: Int = 0) {
        self.durations = durations
        self.loopCount = loopCount
    }
}
