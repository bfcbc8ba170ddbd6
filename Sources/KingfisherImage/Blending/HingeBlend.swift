import CKernels
import Glibc

/// What most blend modes make of a pixel over one colour: a sum that is linear in the pixel's sample S and
/// its alpha A, both premultiplied and in 0...255, with at most one bend.
///
/// W3C "Compositing and Blending Level 1" gives a mode as B(cb, cs) of straight colours, or as a Porter-Duff
/// operator. Multiplied out for premultiplied ones, with D and Da for the colour below,
/// S (1 - Da) + D (1 - A) + A Da B(D / Da, S / A), all divisions by A cancel out where B is linear in cs; the
/// colour below is a number. So one loop of two products a channel serves 22 modes, rounded once.
struct HingeBlend: Equatable {
    /// The sum's factors in one channel: `slope` S + `lift` A + `offset`, and the bend: plus or minus
    /// max(0, `hingeSlope` S + `hingeLift` A + `hingeOffset`). Offsets are in samples.
    struct Channel: Equatable {
        var slope = 0.0
        var lift = 0.0
        var offset = 0.0
        var hingeSlope = 0.0
        var hingeLift = 0.0
        var hingeOffset = 0.0
        var hingesDown = false

        /// Adds `factor` max(0, `slope` S + `lift` A + `offset`).
        mutating func bend(_ factor: Double, slope: Double, lift: Double, offset: Double = 0) {
            guard factor != 0, slope != 0 || lift != 0 else { return }
            let size = abs(factor)
            (hingeSlope, hingeLift, hingeOffset) = (size * slope, size * lift, size * offset)
            hingesDown = factor < 0
        }

        /// The image's opacity weighs S and A.
        fileprivate mutating func weighImage(by opacity: Double) {
            slope *= opacity
            lift *= opacity
            hingeSlope *= opacity
            hingeLift *= opacity
        }
    }

    /// Red, green, blue and alpha.
    private(set) var channels: [Channel]

    /// The mode over the premultiplied colour `backdrop`, with the image's alpha weighted by `opacity` of
    /// 0...1; nil for modes that divide or mix channels.
    init?(_ mode: BlendMode, over backdrop: SIMD4<UInt8>, opacity: Double) {
        let alpha = Double(backdrop.w) / 255
        var channels: [Channel] = []
        for c in 0..<4 {
            let below = Double(backdrop[c]) / 255
            guard
                var channel = Channel(porterDuff: mode, below: below, alpha: alpha)
                    ?? Channel(plus: mode, below: below, alpha: alpha, isAlpha: c == 3)
                    ?? Channel(separable: mode, below: below, alpha: alpha, isAlpha: c == 3)
            else { return nil }
            channel.weighImage(by: opacity)
            channels.append(channel)
        }
        self.channels = channels
    }

    /// Whether every pixel stays as it is.
    var isIdentity: Bool { channels.allSatisfy { $0 == Channel(slope: 1) } }

    /// The factors in fixed point.
    var native: kf_hinge_blend {
        func four<Value>(_ value: (Channel) -> Value) -> (Value, Value, Value, Value) {
            (value(channels[0]), value(channels[1]), value(channels[2]), value(channels[3]))
        }
        func factors(_ part: (Channel) -> Double) -> (Int16, Int16, Int16, Int16) {
            four { Int16(clamping: Int((part($0) * Self.one).rounded())) }
        }
        func sums(_ part: (Channel) -> Double) -> (Int32, Int32, Int32, Int32) {
            four { Int32((part($0) * Self.one).rounded()) }
        }
        var blend = kf_hinge_blend()
        blend.slope = factors(\.slope)
        blend.lift = factors(\.lift)
        blend.offset = sums(\.offset)
        blend.hinge_slope = factors(\.hingeSlope)
        blend.hinge_lift = factors(\.hingeLift)
        blend.hinge_offset = sums(\.hingeOffset)
        blend.hinge_sign = four { $0.hingesDown ? -1 : 0 }
        blend.bends = channels.contains { $0.hingeSlope != 0 || $0.hingeLift != 0 }
        return blend
    }

    private static let one = Double(KF_BLEND_ONE)
}

extension HingeBlend.Channel {
    /// S Fa + D Fb, with the factors of W3C section 9.1.
    fileprivate init?(porterDuff mode: BlendMode, below: Double, alpha: Double) {
        /// What multiplies D: a constant, and a part of the image's alpha.
        let (ofImage, kept, keptInside): (Double, Double, Double)
        switch mode {
        case .normal: (ofImage, kept, keptInside) = (1, 1, -1)
        case .clear: (ofImage, kept, keptInside) = (0, 0, 0)
        case .copy: (ofImage, kept, keptInside) = (1, 0, 0)
        case .sourceIn: (ofImage, kept, keptInside) = (alpha, 0, 0)
        case .sourceOut: (ofImage, kept, keptInside) = (1 - alpha, 0, 0)
        case .sourceAtop: (ofImage, kept, keptInside) = (alpha, 1, -1)
        case .destinationOver: (ofImage, kept, keptInside) = (1 - alpha, 1, 0)
        case .destinationIn: (ofImage, kept, keptInside) = (0, 0, 1)
        case .destinationOut: (ofImage, kept, keptInside) = (0, 1, -1)
        case .destinationAtop: (ofImage, kept, keptInside) = (1 - alpha, 0, 1)
        case .xor: (ofImage, kept, keptInside) = (1 - alpha, 1, -1)
        default: return nil
        }
        self.init(slope: ofImage, lift: below * keptInside, offset: 255 * below * kept)
    }

    /// Core Graphics' sums, as the comments of CGBlendMode give them: min(1, S + D), and
    /// max(0, 1 - ((1 - D) + (1 - S))).
    ///
    /// The latter's 1 is a part's own alpha where that is below 1, and what is left of it the sum's alpha,
    /// min(1, A + Da); so S stays S over nothing.
    fileprivate init?(plus mode: BlendMode, below: Double, alpha: Double, isAlpha: Bool) {
        guard mode == .plusLighter || mode == .plusDarker else { return nil }
        self.init(slope: 1, offset: 255 * below)
        if mode == .plusDarker, !isAlpha, alpha > 0 {
            // What the two alphas are above 1 in all.
            bend(-1, slope: 0, lift: 1, offset: 255 * (alpha - 1))
        }
    }

    /// W3C section 10.1. Alpha is that of source over.
    fileprivate init?(separable mode: BlendMode, below: Double, alpha: Double, isAlpha: Bool) {
        self.init(slope: 1 - alpha, lift: -below, offset: 255 * below)
        guard !isAlpha else {
            slope = 1
            return
        }
        guard addLinear(mode, below: below, alpha: alpha) || addHinge(mode, below: below, alpha: alpha) else {
            return nil
        }
    }

    /// Adds A Da B of a mode that is linear in cs; false for other modes.
    private mutating func addLinear(_ mode: BlendMode, below: Double, alpha: Double) -> Bool {
        switch mode {
        case .multiply:
            slope += below
        case .screen:
            slope += alpha - below
            lift += below
        case .overlay where 2 * below <= alpha:
            slope += 2 * below
        case .overlay:
            slope += 2 * (alpha - below)
            lift += 2 * below - alpha
        case .exclusion:
            slope += alpha - 2 * below
            lift += below
        default:
            return false
        }
        return true
    }

    /// Adds A Da B of a mode with one bend in cs; false for other modes.
    private mutating func addHinge(_ mode: BlendMode, below: Double, alpha: Double) -> Bool {
        switch mode {
        case .darken:
            slope += alpha
            bend(-1, slope: alpha, lift: -below)
        case .lighten:
            slope += alpha
            bend(1, slope: -alpha, lift: below)
        case .difference:
            slope -= alpha
            lift += below
            bend(2, slope: alpha, lift: -below)
        case .hardLight:
            // 2 S D up to the middle, A Da - 2 (Da - D) (A - S) beyond.
            slope += 2 * below
            bend(alpha - 2 * below, slope: 2, lift: -1)
        case .softLight:
            let base = alpha == 0 ? 0 : below / alpha
            let top = base <= 0.25 ? ((16 * base - 12) * base + 4) * base : base.squareRoot()
            slope += 2 * alpha * base * (1 - base)
            lift += alpha * base * base
            bend(alpha * (top - 2 * base + base * base), slope: 2, lift: -1)
        default:
            return false
        }
        return true
    }
}
