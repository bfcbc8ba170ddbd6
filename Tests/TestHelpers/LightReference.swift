import Foundation

/// Colours by the formulas of the standards, for comparison with conversions by lcms2.
public enum LightReference {
    /// From linear light of other primaries with the white D65 to that of sRGB: CSS Color 4, section 18,
    /// and Adobe RGB (1998) from Lindbloom's tables.
    public static let sRGB = [[1, 0, 0], [0, 1, 0], [0, 0, 1.0]]
    public static let displayP3 = [
        [1.2249401763, -0.2249401763, 0], [-0.0420569547, 1.0420569547, 0],
        [-0.0196375546, -0.0786360455, 1.0982736001],
    ]
    public static let rec2020 = [
        [1.6604910021, -0.5876411388, -0.0728498633], [-0.1245504745, 1.1328998971, -0.0083494226],
        [-0.0181507634, -0.1005788980, 1.1187296614],
    ]
    public static let adobeRGB = [[1.3983557, -0.3983557, 0], [0, 1, 0], [0, -0.0429290, 1.0429290]]

    /// The matrix of a code point of H.273.
    public static func matrix(_ primaries: UInt8) -> [[Double]] {
        [12: displayP3, 9: rec2020][primaries] ?? sRGB
    }

    /// The light of a sample in 0...1 by a code point of H.273; SDR white is 1.
    public static func light(_ sample: Double, _ transfer: UInt8) -> Double {
        switch transfer {
        case 8: return sample
        case 16:
            // SMPTE ST 2084 with its constants as decimal numbers.
            let power = pow(sample, 1 / 78.84375)
            let relative = max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power)
            return toneMapped(10_000 * pow(relative, 1 / 0.1593017578125))
        case 18:
            let scene =
                sample <= 0.5
                ? sample * sample / 3 : (exp((sample - 0.55991073) / 0.17883277) + 0.28466892) / 12
            return toneMapped(1_000 * pow(scene, 1.2))
        default: return sample <= 0.04045 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4)
        }
    }

    /// Reinhard's extended curve, as 203 nits for white and a peak of 1,000 nits give it; brighter light is
    /// clipped.
    private static func toneMapped(_ nits: Double) -> Double {
        min(nits / 203 * (1 + nits * 203 / 1_000_000) / (1 + nits / 203), 1)
    }

    /// The sample of sRGB in 0...1, clipped.
    public static func encoded(_ light: Double) -> Double {
        let light = min(max(light, 0), 1)
        return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// The sRGB samples of linear light of other primaries.
    public static func encoded(_ light: [Double], _ matrix: [[Double]]) -> [Double] {
        matrix.map { row in encoded(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }) }
    }
    /// The sample of sRGB in 0...255, clipped.
    public static func level(_ light: Double) -> Int { Int((encoded(light) * 255).rounded()) }

    /// The sRGB samples in 0...255 of linear light of other primaries.
    public static func levels(_ light: [Double], _ matrix: [[Double]]) -> [Int] {
        encoded(light, matrix).map { Int(($0 * 255).rounded()) }
    }
}
