import Foundation

/// A filter that is linear in linear light: a matrix and a bias for straight colours, then one colour drawn
/// over the result.
///
/// Core Image keeps values outside 0...1 between two filters, so two consecutive filters combine to one
/// matrix.
struct LinearFilter: Equatable {
    /// The contributions of the image's red, green and blue to the three channels of the result.
    var red = SIMD3(1.0, 0, 0)
    var green = SIMD3(0, 1.0, 0)
    var blue = SIMD3(0, 0, 1.0)
    var bias = SIMD3<Double>.zero
    /// The colour on top, in linear light, with straight alpha.
    var veil = SIMD3<Double>.zero
    var veilAlpha = 0.0

    static let identity = LinearFilter()
}

extension LinearFilter {
    init(tint color: Color) {
        let alpha = color.alpha.finite(or: 0, in: 0...1)
        guard alpha > 0 else { return }
        for (channel, value) in [color.red, color.green, color.blue].enumerated() {
            veil[channel] = SRGB.linear(value.isFinite ? value : 0)
        }
        veilAlpha = alpha
    }

    init(_ element: Filter.ColorElement) {
        // Beyond these limits every image is black, white and primaries, and products would overflow.
        let brightness = element.brightness.finite(or: 0, in: -Self.largest...Self.largest)
        let contrast = element.contrast.finite(or: 1, in: -Self.largest...Self.largest)
        let saturation = element.saturation.finite(or: 1, in: -Self.largest...Self.largest)
        let gain = exp2(element.inputEV.finite(or: 0, in: -20...12))
        // The luminance of each channel, spread over all three as saturation decreases.
        let gray = Self.luminance * (1 - saturation)
        let slope = contrast * gain
        red = SIMD3(gray.x + saturation, gray.x, gray.x) * slope
        green = SIMD3(gray.y, gray.y + saturation, gray.y) * slope
        blue = SIMD3(gray.z, gray.z, gray.z + saturation) * slope
        bias = SIMD3(repeating: ((brightness - 0.5) * contrast + 0.5) * gain)
    }

    /// The luminance weights of ITU-R BT.709, which has the same primaries as sRGB.
    private static let luminance = SIMD3(0.2126, 0.7152, 0.0722)
    /// Far above the maxima of Core Image's sliders: 4 for contrast and 2 for saturation.
    private static let largest = 4096.0
}

extension CGFloat {
    fileprivate func finite(or fallback: Double, in range: ClosedRange<Double>) -> Double {
        isFinite ? Swift.min(Swift.max(Double(self), range.lowerBound), range.upperBound) : fallback
    }
}
