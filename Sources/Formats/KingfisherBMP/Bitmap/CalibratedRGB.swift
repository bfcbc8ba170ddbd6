import KingfisherCodecSupport

/// Primaries and exponents of a V4 header of the kind LCS_CALIBRATED_RGB.
///
/// The endpoints are read as chromaticities, because that is what writers store there, with D65 as white. A
/// header whose fields are zero, as many writers leave them, has no calibration. An exponent below 1, such
/// as 1/2.2, is the inverse, for encoding. As in a PNG, about 2.2 for the primaries of sRGB means its curve
/// (decision 068).
enum CalibratedRGB {
    static func encoding(_ header: ByteReader) -> ColorEncoding {
        func fixed(_ offset: Int, _ one: Double) -> Double {
            Double(header.uint32(at: offset, bigEndian: false) ?? 0) / one
        }
        // FXPT2DOT30, three for each colour, then 16.16.
        let (one2, one16) = (Double(1 << 30), Double(1 << 16))
        func primary(_ color: Int) -> Chromaticities.Point {
            let start = 60 + color * 12
            let (x, y, z) = (fixed(start, one2), fixed(start + 4, one2), fixed(start + 8, one2))
            let sum = x + y + z
            return Chromaticities.Point(x: sum > 0 ? x / sum : 0, y: sum > 0 ? y / sum : 0)
        }
        let found = Chromaticities(red: primary(0), green: primary(1), blue: primary(2), white: .d65)
        let exponents = [96, 100, 104].map { decoding(fixed($0, one16)) }
        if isSRGB(found), exponents.allSatisfy({ abs($0 / 2.2 - 1) <= 0.05 }) {
            return ColorEncoding(chromaticities: .sRGB, curve: .sRGB)
        }
        return ColorEncoding(
            chromaticities: found,
            curve: .gammas(red: exponents[0], green: exponents[1], blue: exponents[2]))
    }

    private static func decoding(_ exponent: Double) -> Double {
        exponent > 0 && exponent < 1 ? 1 / exponent : exponent
    }

    /// Whether no coordinate differs by more than the rounding of three digits.
    private static func isSRGB(_ found: Chromaticities) -> Bool {
        let sRGB = Chromaticities.sRGB
        return [(found.red, sRGB.red), (found.green, sRGB.green), (found.blue, sRGB.blue)].allSatisfy {
            abs($0.x - $1.x) <= 0.001 && abs($0.y - $1.y) <= 0.001
        }
    }
}
