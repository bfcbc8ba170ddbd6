/// Draws pixels with straight alpha over others.
///
/// Uses libwebp's arithmetic (src/demux/anim_decode.c, version 1.2.4), which rounds down twice, so that
/// images equal WebPAnimDecoder's images byte for byte.
enum StraightBlend {
    static func row(
        _ pixels: UnsafeMutablePointer<UInt32>, over backdrop: UnsafePointer<UInt32>, count: Int
    ) {
        scales.withUnsafeBufferPointer { row(pixels, over: backdrop, count: count, scales: $0) }
    }

    /// The reciprocals of the sums of weights, in units of 1/2^24.
    private static let scales: [UInt32] = (0..<256).map { (1 << 24) / max($0, 1) }

    private static func row(
        _ pixels: UnsafeMutablePointer<UInt32>, over backdrop: UnsafePointer<UInt32>, count: Int,
        scales: UnsafeBufferPointer<UInt32>
    ) {
        for x in 0..<count {
            let source = UInt32(littleEndian: pixels[x])
            let alpha = source >> 24
            if alpha == 255 { continue }
            if alpha == 0 {
                pixels[x] = backdrop[x]
                continue
            }
            let under = UInt32(littleEndian: backdrop[x])
            // The sum of the weights is at most 255, so nothing overflows.
            let rest = ((under >> 24) &* (256 &- alpha)) >> 8
            let scale = scales[Int(alpha &+ rest)]
            func channel(_ shift: UInt32) -> UInt32 {
                let weighted = (source &>> shift & 255) &* alpha &+ (under &>> shift & 255) &* rest
                return ((weighted &* scale) &>> 24) &<< shift
            }
            pixels[x] = UInt32(littleEndian: channel(0) | channel(8) | channel(16) | (alpha &+ rest) << 24)
        }
    }
}
