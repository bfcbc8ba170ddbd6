import Foundation
import FuzzHarness
import KingfisherCodecSupport
import KingfisherTIFF

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    let limits = ImageLimits(maximumPixels: 1 << 16, maximumFrameBytes: 1 << 26)
    DecodingContext(limits: limits).run {
        exercise(data, with: TIFFCodec())
        _ = TIFFCodec.pageCount(of: data)
        _ = try? opened(data, by: TIFFCodec(page: 1))?.decode(.full)
    }
    return 0
}
