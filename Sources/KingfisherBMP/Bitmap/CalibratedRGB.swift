import KingfisherCodecSupport

/// Primaries and exponents of a V4 header of the kind LCS_CALIBRATED_RGB.
///
/// The endpoints are read as chromaticities, because that is what writers store there, with D65 as white. A
/// header whose fields are zero, as many writers leave them, has no calibration.
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
        return ColorEncoding(
            chromaticities: Chromaticities(
                red: primary(0), green: primary(1), blue: primary(2), white: .d65),
            curve: .gammas(red: fixed(96, one16), green: fixed(100, one16), blue: fixed(104, one16)))
    }
}
