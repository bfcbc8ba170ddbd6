import CLCMS

/// The meaning of an image's samples before the conversion to sRGB.
public enum ICCSamples: Hashable, Sendable {
    case rgb(PixelFormat.Depth)
    /// `.gray`, or `.grayAlpha` that is straight.
    case gray(PixelFormat.Depth, alpha: Bool)
    /// `.rgba`, opaque or straight, with equal red, green and blue: the format of frames of a greyscale
    /// animation.
    case grayInColor(PixelFormat.Depth)
    /// Four CMYK samples of 8 bits instead of RGBA; 255 means no ink, as Adobe writes them.
    case inks

    /// The samples of pixels of `format`.
    public init(_ format: PixelFormat) {
        switch format.layout {
        case .gray: self = .gray(format.depth, alpha: false)
        case .grayAlpha: self = .gray(format.depth, alpha: true)
        case .rgba: self = .rgb(format.depth)
        }
    }

    func fit(_ format: PixelFormat) -> Bool {
        switch self {
        case .inks: format == .rgba8Opaque
        case .rgb, .gray: self == ICCSamples(format) && format.alpha != .premultiplied
        case .grayInColor(let depth): ICCSamples.rgb(depth).fit(format)
        }
    }

    var isGray: Bool { space == cmsSigGrayData }

    var space: cmsColorSpaceSignature {
        switch self {
        case .rgb: cmsSigRgbData
        case .gray, .grayInColor: cmsSigGrayData
        case .inks: cmsSigCmykData
        }
    }

    var output: ICCSamples {
        switch self {
        case .rgb, .gray: self
        case .grayInColor(let depth): .rgb(depth)
        case .inks: .rgb(.eight)
        }
    }

    /// The pixel type of lcms2 (its TYPE_ macros are not visible in Swift): colour space, extra channels,
    /// colour channels, bytes per sample.
    var lcms: UInt32 {
        switch self {
        case .rgb(let depth): Self.lcms(PT_RGB, extra: 1, channels: 3, depth)
        case .gray(let depth, let alpha): Self.lcms(PT_GRAY, extra: alpha ? 1 : 0, channels: 1, depth)
        case .grayInColor(let depth): Self.lcms(PT_GRAY, extra: 3, channels: 1, depth)
        // With the flag for inverted samples, where the maximum means no ink.
        case .inks: Self.lcms(PT_CMYK, extra: 0, channels: 4, .eight) | 1 << 13
        }
    }

    /// Without a cache, so that a transform is immutable. For 16 bits and for greyscale without optimization,
    /// because lcms2's lookup tables can be accurate to only 7 bits, and to 4 for linear light in greyscale.
    var flags: UInt32 {
        switch self {
        case .rgb(.sixteen), .gray, .grayInColor: UInt32(cmsFLAGS_NOCACHE) | UInt32(cmsFLAGS_NOOPTIMIZE)
        case .rgb(.eight), .inks: UInt32(cmsFLAGS_NOCACHE)
        }
    }

    private static func lcms(
        _ space: Int32, extra: UInt32, channels: UInt32, _ depth: PixelFormat.Depth
    ) -> UInt32 {
        UInt32(space) << 16 | extra << 7 | channels << 3 | UInt32(depth.rawValue / 8)
    }
}
