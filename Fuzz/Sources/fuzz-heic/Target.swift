import Foundation
import FuzzHarness
import KingfisherCodecSupport
import KingfisherHEIC

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    let limits = ImageLimits(maximumPixels: 1 << 16, maximumFrameBytes: 1 << 26)
    DecodingContext(limits: limits).run {
        exercise(data, with: HEICCodec())
        let decoder = opened(data, by: HEICCodec())
        _ = try? decoder?.metadata()
        _ = try? decoder?.decode(.exactly(PixelSize(width: 8, height: 6)))
    }
    return 0
}
