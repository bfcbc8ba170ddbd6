/// How the bytes of a `PixelBuffer` are laid out.
///
/// A closed set: one or two grey channels or four RGBA channels, interleaved in that order, 8 or 16 bits
/// each (16-bit samples in the machine's byte order), sRGB-encoded.
public struct PixelFormat: Hashable, Sendable {
    /// Which channels a pixel has, in memory order.
    public enum Layout: UInt8, Sendable {
        /// One luminance sample.
        case gray = 1
        /// Luminance, then alpha.
        case grayAlpha = 2
        /// Red, green, blue, alpha. Opaque images keep the fourth sample at its maximum.
        case rgba = 4

        /// Samples per pixel.
        public var channels: Int { Int(rawValue) }
    }

    /// Bits of one sample.
    public enum Depth: Int, Sendable {
        case eight = 8
        case sixteen = 16
    }

    /// What the alpha sample means.
    public enum Alpha: UInt8, Sendable {
        /// Every pixel is opaque; an alpha sample, if there is one, is at its maximum.
        case opaque
        /// Colour samples are independent of alpha.
        case straight
        /// Colour samples are multiplied by alpha.
        case premultiplied
    }

    /// Which channels a pixel has.
    public let layout: Layout
    /// Bits of one sample.
    public let depth: Depth
    /// What the alpha sample means.
    public let alpha: Alpha

    /// Describes a format; grey images are always opaque, whatever `alpha` says.
    public init(layout: Layout, depth: Depth = .eight, alpha: Alpha) {
        self.layout = layout
        self.depth = depth
        self.alpha = layout == .gray ? .opaque : alpha
    }

    /// 8-bit RGBA whose every pixel is opaque.
    public static let rgba8Opaque = PixelFormat(layout: .rgba, alpha: .opaque)
    /// 8-bit RGBA with independent alpha, as PNG files store it.
    public static let rgba8Straight = PixelFormat(layout: .rgba, alpha: .straight)
    /// 8-bit RGBA multiplied by alpha: the working format of drawing.
    public static let rgba8Premultiplied = PixelFormat(layout: .rgba, alpha: .premultiplied)
    /// 8-bit luminance.
    public static let gray8 = PixelFormat(layout: .gray, alpha: .opaque)

    /// Bytes that one pixel takes.
    public var bytesPerPixel: Int { layout.channels * depth.rawValue / 8 }
    /// Whether every pixel is opaque.
    public var isOpaque: Bool { alpha == .opaque }
}
