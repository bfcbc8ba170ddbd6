@testable import KingfisherImage

/// W3C "Compositing and Blending Level 1", sections 9 and 10, in floating point, as in
/// `Tests/Fixtures/generate/blend.py`.
enum BlendFormulas {
    typealias Colors = SIMD3<Double>

    /// A premultiplied pixel of 0...1 drawn at an opacity on a premultiplied colour.
    static func drawn(
        _ mode: BlendMode, _ source: SIMD4<Double>, over backdrop: SIMD4<Double>, opacity: Double
    ) -> SIMD4<Double> {
        let (above, below) = (source * opacity, backdrop)
        let (a, b) = (above.w, below.w)
        if let (own, other) = factors(mode, a, b) { return above * own + below * other }
        let sum = above + below
        switch mode {
        case .plusLighter: return sum.clamped(lowerBound: .zero, upperBound: .one)
        case .plusDarker:
            let alpha = min(1, a + b)
            return SIMD4(
                max(0, alpha - (b - below.x) - (a - above.x)), max(0, alpha - (b - below.y) - (a - above.y)),
                max(0, alpha - (b - below.z) - (a - above.z)), alpha)
        default:
            let mixed = mix(mode, straight(below), straight(above))
            return above * (1 - b) + below * (1 - a) + SIMD4(mixed * (a * b), a * b)
        }
    }

    private static func straight(_ pixel: SIMD4<Double>) -> Colors {
        pixel.w > 0 ? Colors(pixel.x, pixel.y, pixel.z) / pixel.w : .zero
    }

    /// Of the image and of the colour below.
    private static func factors(_ mode: BlendMode, _ a: Double, _ b: Double) -> (Double, Double)? {
        switch mode {
        case .normal: (1, 1 - a)
        case .clear: (0, 0)
        case .copy: (1, 0)
        case .sourceIn: (b, 0)
        case .sourceOut: (1 - b, 0)
        case .sourceAtop: (b, 1 - a)
        case .destinationOver: (1 - b, 1)
        case .destinationIn: (0, a)
        case .destinationOut: (0, 1 - a)
        case .destinationAtop: (1 - b, a)
        case .xor: (1 - b, 1 - a)
        default: nil
        }
    }

    private static func mix(_ mode: BlendMode, _ below: Colors, _ above: Colors) -> Colors {
        switch mode {
        case .hue: light(saturated(above, range(below)), luminosity(below))
        case .saturation: light(saturated(below, range(above)), luminosity(below))
        case .color: light(above, luminosity(below))
        case .luminosity: light(below, luminosity(above))
        default:
            Colors(
                mix(mode, below.x, above.x), mix(mode, below.y, above.y), mix(mode, below.z, above.z))
        }
    }

    private static func mix(_ mode: BlendMode, _ b: Double, _ s: Double) -> Double {
        switch mode {
        case .multiply: b * s
        case .screen: b + s - b * s
        case .overlay: mix(.hardLight, s, b)
        case .darken: min(b, s)
        case .lighten: max(b, s)
        case .colorDodge: b == 0 ? 0 : s == 1 ? 1 : min(1, b / (1 - s))
        case .colorBurn: b == 1 ? 1 : s == 0 ? 0 : 1 - min(1, (1 - b) / s)
        case .hardLight: s <= 0.5 ? 2 * b * s : b + (2 * s - 1) - b * (2 * s - 1)
        case .softLight:
            s <= 0.5
                ? b - (1 - 2 * s) * b * (1 - b)
                : b + (2 * s - 1) * ((b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()) - b)
        case .difference: abs(b - s)
        default: b + s - 2 * b * s
        }
    }

    private static func luminosity(_ c: Colors) -> Double { 0.3 * c.x + 0.59 * c.y + 0.11 * c.z }

    private static func range(_ c: Colors) -> Double { c.max() - c.min() }

    private static func light(_ color: Colors, _ wanted: Double) -> Colors {
        var c = color + (wanted - luminosity(color))
        let (low, high) = (c.min(), c.max())
        if low < 0 { c = wanted + (c - wanted) * (wanted / (wanted - low)) }
        if high > 1 { c = wanted + (c - wanted) * ((1 - wanted) / (high - wanted)) }
        return c
    }

    private static func saturated(_ c: Colors, _ wanted: Double) -> Colors {
        range(c) > 0 ? (c - c.min()) * (wanted / range(c)) : .zero
    }
}
