/// The layout of the bytes of a `PixelBuffer`.
///
/// A closed set: one or two greyscale channels, or four RGBA channels, interleaved in that order, with 8 or
/// 16 bits each (16-bit samples in native byte order), sRGB-encoded.
public struct PixelFormat: Hashable, Sendable {
    /// The channels of a pixel in memory order.
    public enum Layout: UInt8, Sendable {
        /// One luminance sample.
        case gray = 1
        /// Luminance, then alpha.
        case grayAlpha = 2
        /// Red, green, blue, alpha. The alpha sample of opaque images has its maximum.
        case rgba = 4

        /// Samples per pixel.
        public var channels: Int { Int(rawValue) }
    }

    /// Bits per sample.
    public enum Depth: Int, Sendable {
        case eight = 8
        case sixteen = 16
    }

    /// The meaning of the alpha sample.
    public enum Alpha: UInt8, Sendable {
        /// Every pixel is opaque; an alpha sample, if any, has its maximum.
        case opaque
        /// Colour samples are independent of alpha.
        case straight
        /// Colour samples are multiplied by alpha.
        case premultiplied
    }

    /// The channels of a pixel.
    public let layout: Layout
    /// Bits per sample.
    public let depth: Depth
    /// The meaning of the alpha sample.
    public let alpha: Alpha

    /// Creates a format; `.gray` is always opaque, regardless of `alpha`.
    public init(layout: Layout, depth: Depth = .eight, alpha: Alpha) {
        self.layout = layout
        self.depth = depth
        self.alpha = layout == .gray ? .opaque : alpha
    }

    /// 8-bit RGBA in which every pixel is opaque.
    public static let rgba8Opaque = PixelFormat(layout: .rgba, alpha: .opaque)
    /// 8-bit RGBA with independent alpha, as PNG files store it.
    public static let rgba8Straight = PixelFormat(layout: .rgba, alpha: .straight)
    /// 8-bit RGBA multiplied by alpha, the working format of drawing on images of 8 bits.
    public static let rgba8Premultiplied = PixelFormat(layout: .rgba, alpha: .premultiplied)
    /// 8-bit luminance.
    public static let gray8 = PixelFormat(layout: .gray, alpha: .opaque)

    /// Bytes per pixel.
    public var bytesPerPixel: Int { layout.channels * depth.rawValue / 8 }
    /// Whether every pixel is opaque.
    public var isOpaque: Bool { alpha == .opaque }
}
