public import Foundation

/// A colour in extended sRGB: components in 0...1 are in the sRGB gamut, others outside.
public struct Color: Hashable, Sendable {
    /// Red, gamma-encoded.
    public let red: CGFloat
    /// Green, gamma-encoded.
    public let green: CGFloat
    /// Blue, gamma-encoded.
    public let blue: CGFloat
    /// Opacity, 0...1.
    public let alpha: CGFloat

    /// Makes a colour from sRGB components, not premultiplied.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Makes a grey from 0 (black) to 1 (white).
    public init(white: CGFloat, alpha: CGFloat = 1) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    /// Makes a colour from Display P3 components; it is held as extended sRGB.
    ///
    /// Both spaces share the sRGB transfer function and the D65 white; the matrix is the product of the
    /// P3-to-XYZ and XYZ-to-sRGB matrices that CSS Color 4 lists.
    public init(displayP3Red red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat = 1) {
        let (r, g, b) = (SRGB.linear(red), SRGB.linear(green), SRGB.linear(blue))
        self.init(
            red: SRGB.encoded(1.2249401763 * r - 0.2249401763 * g),
            green: SRGB.encoded(-0.0420569547 * r + 1.0420569547 * g),
            blue: SRGB.encoded(-0.0196375546 * r - 0.0786360456 * g + 1.0982736002 * b),
            alpha: alpha)
    }

    /// The same colour with another opacity.
    public func withAlphaComponent(_ alpha: CGFloat) -> Color {
        Color(red: red, green: green, blue: blue, alpha: alpha)
    }
}

extension Color {
    public static let black = Color(white: 0)
    public static let darkGray = Color(white: 1 / 3)
    public static let gray = Color(white: 0.5)
    public static let lightGray = Color(white: 2 / 3)
    public static let white = Color(white: 1)
    public static let clear = Color(white: 0, alpha: 0)
    public static let red = Color(red: 1, green: 0, blue: 0)
    public static let green = Color(red: 0, green: 1, blue: 0)
    public static let blue = Color(red: 0, green: 0, blue: 1)
    public static let cyan = Color(red: 0, green: 1, blue: 1)
    public static let yellow = Color(red: 1, green: 1, blue: 0)
    public static let magenta = Color(red: 1, green: 0, blue: 1)
    public static let orange = Color(red: 1, green: 0.5, blue: 0)
    public static let purple = Color(red: 0.5, green: 0, blue: 0.5)
    public static let brown = Color(red: 0.6, green: 0.4, blue: 0.2)
}

extension Color {
    /// The colour as in CSS, `#rrggbb`, or `#rrggbbaa` unless it is opaque: clamped to the sRGB gamut; NaN
    /// counts as 0.
    public var hexadecimal: String {
        let levels = [red, green, blue, alpha].map { Int((min(max(0, Double($0)), 1) * 255).rounded()) }
        let shown = levels[3] == 255 ? levels.prefix(3) : levels[...]
        return "#" + shown.map { String(format: "%02x", $0) }.joined()
    }

    /// The four components with two decimals for processor identifiers: `(1.00,0.50,0.00,1.00)`.
    package var identifier: String {
        let parts = [red, green, blue, alpha].map { String(format: "%.2f", Double($0)) }
        return "(" + parts.joined(separator: ",") + ")"
    }

    package var premultipliedRGBA8: SIMD4<UInt8> { premultipliedRGBA() }

    /// Premultiplied RGBA, clamped to the sRGB gamut; NaN counts as 0.
    func premultipliedRGBA<Sample: FixedWidthInteger>() -> SIMD4<Sample> {
        // With this order of arguments `max` returns 0 for NaN.
        func clamped(_ component: CGFloat) -> Double { min(max(0, Double(component)), 1) }
        let opacity = clamped(alpha)
        func sample(_ value: Double) -> Sample { Sample((value * Double(Sample.max)).rounded()) }
        return SIMD4(
            sample(clamped(red) * opacity), sample(clamped(green) * opacity),
            sample(clamped(blue) * opacity), sample(opacity))
    }
}

/// The transfer function of IEC 61966-2-1, odd-symmetric below zero as extended sRGB has it.
enum SRGB {
    static func linear(_ value: CGFloat) -> CGFloat {
        let magnitude = abs(value)
        let result = magnitude <= 0.04045 ? magnitude / 12.92 : pow((magnitude + 0.055) / 1.055, 2.4)
        return value < 0 ? -result : result
    }

    static func encoded(_ value: CGFloat) -> CGFloat {
        let magnitude = abs(value)
        let result = magnitude <= 0.0031308 ? magnitude * 12.92 : 1.055 * pow(magnitude, 1 / 2.4) - 0.055
        return value < 0 ? -result : result
    }
}
