/// Draws pixels with straight alpha over others.
///
/// In libwebp's arithmetic (src/demux/anim_decode.c, version 1.2.4), which rounds down twice, so that pictures are
/// those of WebPAnimDecoder byte for byte.
enum StraightBlend {
    /// Replaces `count` pixels of RGBA by themselves over those of `backdrop`.
    static func row(
        _ pixels: UnsafeMutablePointer<UInt32>, over backdrop: UnsafePointer<UInt32>, count: Int
    ) {
        for x in 0..<count {
            let source = UInt32(littleEndian: pixels[x])
            let alpha = source >> 24
            if alpha == 255 { continue }
            pixels[x] =
                alpha == 0
                ? backdrop[x]
                : UInt32(littleEndian: pixel(source, alpha, over: UInt32(littleEndian: backdrop[x])))
        }
    }

    /// One pixel whose `alpha` is neither none nor full. Nothing overflows: both weights together are at most 255.
    private static func pixel(_ source: UInt32, _ alpha: UInt32, over backdrop: UInt32) -> UInt32 {
        let rest = ((backdrop >> 24) &* (256 &- alpha)) >> 8
        let sum = alpha &+ rest
        let scale = (1 << 24) / sum
        func channel(_ shift: UInt32) -> UInt32 {
            let weighted = (source &>> shift & 255) &* alpha &+ (backdrop &>> shift & 255) &* rest
            return ((weighted &* scale) >> 24) << shift
        }
        return channel(0) | channel(8) | channel(16) | sum << 24
    }
}
