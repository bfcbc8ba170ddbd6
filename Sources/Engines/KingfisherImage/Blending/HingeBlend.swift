import CKernels
import Glibc

/// A blend mode over one colour as a piecewise linear function with at most one breakpoint (a hinge function)
/// of a pixel's sample S and its alpha A, both premultiplied and in 0...255.
///
/// W3C "Compositing and Blending Level 1" defines a mode as B(cb, cs) of straight colours, or as a
/// Porter-Duff operator. For premultiplied colours, with D and Da for the colour below, the result is S (1 -
/// Da) + D (1 - A) + A Da B(D / Da, S / A). All divisions by A cancel out where B is linear in cs, and the
/// colour below is constant. So one loop with two products a channel covers 22 modes and rounds once.
struct HingeBlend: Equatable {
    /// The factors of one channel: `slope` S + `lift` A + `offset`, plus or minus the hinge max(0,
    /// `hingeSlope` S + `hingeLift` A + `hingeOffset`). Offsets are in samples.
    struct Channel: Equatable {
        var slope = 0.0
        var lift = 0.0
        var offset = 0.0
        var hingeSlope = 0.0
        var hingeLift = 0.0
        var hingeOffset = 0.0
        var isHingeNegative = false

        mutating func addHinge(_ factor: Double, slope: Double, lift: Double, offset: Double = 0) {
            guard factor != 0, slope != 0 || lift != 0 else { return }
            let size = abs(factor)
            (hingeSlope, hingeLift, hingeOffset) = (size * slope, size * lift, size * offset)
            isHingeNegative = factor < 0
        }

        fileprivate mutating func applyOpacity(_ opacity: Double) {
            slope *= opacity
            lift *= opacity
            hingeSlope *= opacity
            hingeLift *= opacity
        }
    }

    private(set) var channels: [Channel]

    /// Creates the blend over the premultiplied colour `backdrop`, with the image's alpha multiplied by
    /// `opacity` (0...1); nil for modes that divide or mix channels.
    init?<Sample: KernelSample>(_ mode: BlendMode, over backdrop: SIMD4<Sample>, opacity: Double) {
        let white = Double(Sample.max)
        let alpha = Double(backdrop.w) / white
        var channels: [Channel] = []
        for c in 0..<4 {
            let below = Double(backdrop[c]) / white
            guard
                var channel = Channel(porterDuff: mode, below: below, alpha: alpha)
                    ?? Channel(plus: mode, below: below, alpha: alpha, isAlpha: c == 3)
                    ?? Channel(separable: mode, below: below, alpha: alpha, isAlpha: c == 3)
            else { return nil }
            channel.applyOpacity(opacity)
            channels.append(channel)
        }
        self.channels = channels
    }

    var isIdentity: Bool { channels.allSatisfy { $0 == Channel(slope: 1) } }

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
        blend.hinge_sign = four { $0.isHingeNegative ? -1 : 0 }
        blend.has_hinge = channels.contains { $0.hingeSlope != 0 || $0.hingeLift != 0 }
        return blend
    }

    private static let one = Double(KF_BLEND_ONE)

    /// The factors for `kf_blend_hinge16`.
    var factors16: [Float] {
        let rows: [(Channel) -> Double] = [
            \.slope, \.lift, { $0.offset * 257 }, \.hingeSlope, \.hingeLift, { $0.hingeOffset * 257 },
            { $0.isHingeNegative ? -1 : 1 },
        ]
        return rows.flatMap { row in channels.map { Float(row($0)) } }
    }
}

extension HingeBlend.Channel {
    /// S Fa + D Fb, with the factors of W3C section 9.1.
    fileprivate init?(porterDuff mode: BlendMode, below: Double, alpha: Double) {
        /// The factor of S, and the factor of D: a constant part and a part proportional to A.
        let (source, constant, proportional): (Double, Double, Double)
        switch mode {
        case .normal: (source, constant, proportional) = (1, 1, -1)
        case .clear: (source, constant, proportional) = (0, 0, 0)
        case .copy: (source, constant, proportional) = (1, 0, 0)
        case .sourceIn: (source, constant, proportional) = (alpha, 0, 0)
        case .sourceOut: (source, constant, proportional) = (1 - alpha, 0, 0)
        case .sourceAtop: (source, constant, proportional) = (alpha, 1, -1)
        case .destinationOver: (source, constant, proportional) = (1 - alpha, 1, 0)
        case .destinationIn: (source, constant, proportional) = (0, 0, 1)
        case .destinationOut: (source, constant, proportional) = (0, 1, -1)
        case .destinationAtop: (source, constant, proportional) = (1 - alpha, 0, 1)
        case .xor: (source, constant, proportional) = (1 - alpha, 1, -1)
        default: return nil
        }
        self.init(slope: source, lift: below * proportional, offset: 255 * below * constant)
    }

    /// Core Graphics' sums, as documented for CGBlendMode: min(1, S + D), and
    /// max(0, 1 - ((1 - D) + (1 - S))).
    ///
    /// In the latter, each 1 is replaced by the operand's alpha, and the leading 1 by the alpha of the sum,
    /// min(1, A + Da); so S over a transparent backdrop stays S.
    fileprivate init?(plus mode: BlendMode, below: Double, alpha: Double, isAlpha: Bool) {
        guard mode == .plusLighter || mode == .plusDarker else { return nil }
        self.init(slope: 1, offset: 255 * below)
        if mode == .plusDarker, !isAlpha, alpha > 0 {
            // The amount by which the sum of both alphas exceeds 1.
            addHinge(-1, slope: 0, lift: 1, offset: 255 * (alpha - 1))
        }
    }

    /// W3C section 10.1. The alpha channel is the same as for source over.
    fileprivate init?(separable mode: BlendMode, below: Double, alpha: Double, isAlpha: Bool) {
        self.init(slope: 1 - alpha, lift: -below, offset: 255 * below)
        guard !isAlpha else {
            slope = 1
            return
        }
        guard
            addLinearMode(mode, below: below, alpha: alpha)
                || addHingeMode(mode, below: below, alpha: alpha)
        else { return nil }
    }

    private mutating func addLinearMode(_ mode: BlendMode, below: Double, alpha: Double) -> Bool {
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

    private mutating func addHingeMode(_ mode: BlendMode, below: Double, alpha: Double) -> Bool {
        switch mode {
        case .darken:
            slope += alpha
            addHinge(-1, slope: alpha, lift: -below)
        case .lighten:
            slope += alpha
            addHinge(1, slope: -alpha, lift: below)
        case .difference:
            slope -= alpha
            lift += below
            addHinge(2, slope: alpha, lift: -below)
        case .hardLight:
            // 2 S D up to the middle, A Da - 2 (Da - D) (A - S) beyond.
            slope += 2 * below
            addHinge(alpha - 2 * below, slope: 2, lift: -1)
        case .softLight:
            let base = alpha == 0 ? 0 : below / alpha
            let top = base <= 0.25 ? ((16 * base - 12) * base + 4) * base : base.squareRoot()
            slope += 2 * alpha * base * (1 - base)
            lift += alpha * base * base
            addHinge(alpha * (top - 2 * base + base * base), slope: 2, lift: -1)
        default:
            return false
        }
        return true
    }
}
