import CLCMS

/// What the samples of an image mean before they are converted to sRGB.
public enum ICCSamples: Hashable, Sendable {
    /// `.rgba`, opaque or straight.
    case rgb(PixelFormat.Depth)
    /// `.gray`, or `.grayAlpha` that is straight.
    case gray(PixelFormat.Depth, alpha: Bool)
    /// `.rgba`, opaque or straight, in which red, green and blue are one grey: what frames of an animation
    /// are drawn in, whatever their file has.
    case grayInColor(PixelFormat.Depth)
    /// Four inks of 8 bits in the place of red, green, blue and alpha; 255 means none of it, as Adobe writes
    /// them.
    case inks

    /// Samples that pixels of `format` hold.
    public init(_ format: PixelFormat) {
        switch format.layout {
        case .gray: self = .gray(format.depth, alpha: false)
        case .grayAlpha: self = .gray(format.depth, alpha: true)
        case .rgba: self = .rgb(format.depth)
        }
    }

    /// Whether pixels of `format` can hold such samples.
    func fit(_ format: PixelFormat) -> Bool {
        switch self {
        case .inks: format == .rgba8Opaque
        case .rgb, .gray: self == ICCSamples(format) && format.alpha != .premultiplied
        case .grayInColor(let depth): ICCSamples.rgb(depth).fit(format)
        }
    }

    /// The colour space that a profile must have to say anything about them.
    var space: cmsColorSpaceSignature {
        switch self {
        case .rgb: cmsSigRgbData
        case .gray, .grayInColor: cmsSigGrayData
        case .inks: cmsSigCmykData
        }
    }

    /// What they become.
    var output: ICCSamples {
        switch self {
        case .rgb, .gray: self
        case .grayInColor(let depth): .rgb(depth)
        case .inks: .rgb(.eight)
        }
    }

    /// What lcms2's TYPE_ macros, which Swift does not see, make of it: the kind of colours, channels that
    /// are none of them, channels that are, bytes of a sample.
    var lcms: UInt32 {
        switch self {
        case .rgb(let depth): Self.lcms(PT_RGB, extra: 1, channels: 3, depth)
        case .gray(let depth, let alpha): Self.lcms(PT_GRAY, extra: alpha ? 1 : 0, channels: 1, depth)
        case .grayInColor(let depth): Self.lcms(PT_GRAY, extra: 3, channels: 1, depth)
        // With the flavour in which the most stands for none.
        case .inks: Self.lcms(PT_CMYK, extra: 0, channels: 4, .eight) | 1 << 13
        }
    }

    /// Without a cache, so that a transform is only read; and for 16 bits without the table into which lcms2
    /// otherwise makes a profile's formula, for that one is right to 7 bits at worst.
    var flags: UInt32 {
        switch self {
        case .rgb(.sixteen), .gray(.sixteen, _), .grayInColor(.sixteen):
            UInt32(cmsFLAGS_NOCACHE) | UInt32(cmsFLAGS_NOOPTIMIZE)
        case .rgb(.eight), .gray(.eight, _), .grayInColor(.eight), .inks: UInt32(cmsFLAGS_NOCACHE)
        }
    }

    private static func lcms(
        _ space: Int32, extra: UInt32, channels: UInt32, _ depth: PixelFormat.Depth
    ) -> UInt32 {
        UInt32(space) << 16 | extra << 7 | channels << 3 | UInt32(depth.rawValue / 8)
    }
}
