import Foundation

/// A filter that is linear in linear light: a matrix and a sum for straight colours, then one colour drawn
/// over the result.
///
/// Core Image keeps values outside 0...1 between two of its filters, so that two in a row are one matrix.
struct LinearFilter: Equatable {
    /// What red, green and blue of the image add to the result's three channels.
    var red = SIMD3(1.0, 0, 0)
    var green = SIMD3(0, 1.0, 0)
    var blue = SIMD3(0, 0, 1.0)
    /// What is added to the result.
    var bias = SIMD3<Double>.zero
    /// The colour on top, in linear light, not multiplied by alpha.
    var veil = SIMD3<Double>.zero
    /// How much of the image that colour hides, 0...1.
    var veilAlpha = 0.0

    static let identity = LinearFilter()
}

extension LinearFilter {
    /// Draws `color` over the image.
    init(tint color: Color) {
        let alpha = color.alpha.finite(or: 0, in: 0...1)
        guard alpha > 0 else { return }
        for (channel, value) in [color.red, color.green, color.blue].enumerated() {
            veil[channel] = SRGB.linear(value.isFinite ? value : 0)
        }
        veilAlpha = alpha
    }

    /// CIColorControls and CIExposureAdjust in one.
    init(_ element: Filter.ColorElement) {
        // Beyond these limits every image is black, white and primaries, and products would overflow.
        let brightness = element.brightness.finite(or: 0, in: -Self.largest...Self.largest)
        let contrast = element.contrast.finite(or: 1, in: -Self.largest...Self.largest)
        let saturation = element.saturation.finite(or: 1, in: -Self.largest...Self.largest)
        let gain = exp2(element.inputEV.finite(or: 0, in: -20...12))
        // The luminance that each channel has, spread over all three as far as saturation is gone.
        let gray = Self.luminance * (1 - saturation)
        let slope = contrast * gain
        red = SIMD3(gray.x + saturation, gray.x, gray.x) * slope
        green = SIMD3(gray.y, gray.y + saturation, gray.y) * slope
        blue = SIMD3(gray.z, gray.z, gray.z + saturation) * slope
        bias = SIMD3(repeating: ((brightness - 0.5) * contrast + 0.5) * gain)
    }

    /// The weights of ITU-R BT.709, whose primaries sRGB has.
    private static let luminance = SIMD3(0.2126, 0.7152, 0.0722)
    /// Core Image's own sliders end at 4 for contrast, 2 for saturation and 10 for exposure.
    private static let largest = 4096.0
}

extension CGFloat {
    /// `fallback` for what is no finite number.
    fileprivate func finite(or fallback: Double, in range: ClosedRange<Double>) -> Double {
        isFinite ? Swift.min(Swift.max(Double(self), range.lowerBound), range.upperBound) : fallback
    }
}
