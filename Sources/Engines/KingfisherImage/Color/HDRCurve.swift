import Foundation

/// Curves of HDR transfer functions to the linear light of an SDR display, where 1 is its white.
enum HDRCurve {
    /// Nits of SDR white (ITU-R BT.2408-7, 2.1).
    private static let white = 203.0
    /// Nits of the brightest light that is kept.
    private static let peak = 1_000.0

    /// PQ: the EOTF of SMPTE ST 2084 (ITU-R BT.2100-2, table 4).
    static func pq(_ signal: Double) -> Double {
        let (m1, m2) = (2_610.0 / 16_384, 2_523.0 / 32)
        let (c1, c2, c3) = (3_424.0 / 4_096, 2_413.0 / 128, 2_392.0 / 128)
        let power = pow(signal, 1 / m2)
        return toneMapped(pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1) * 10_000)
    }

    /// HLG: the inverse OETF and, per channel, the system gamma 1.2 of a display of 1,000 nits (ITU-R
    /// BT.2100-2, table 5).
    static func hlg(_ signal: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        let scene = signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12
        return toneMapped(pow(scene, 1.2) * peak)
    }

    /// Maps `nits` to SDR light by the extended curve of Reinhard et al., "Photographic Tone Reproduction for
    /// Digital Images" (2002), formula 4: `peak` becomes white.
    private static func toneMapped(_ nits: Double) -> Double {
        let (light, brightest) = (nits / white, peak / white)
        return light * (1 + light / (brightest * brightest)) / (1 + light)
    }
}
