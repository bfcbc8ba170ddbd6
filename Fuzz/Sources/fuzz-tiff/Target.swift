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
        _ = try? TIFFCodec(page: 1).decode(data, minimumSize: nil)
        _ = try? TIFFCodec().metadataBlocks(of: data)
        _ = try? TIFFCodec().decode(data, shrunkTo: PixelSize(width: 8, height: 6))
    }
    return 0
}
