import Foundation
import FuzzHarness
import KingfisherCodecSupport
import KingfisherJPEGXL

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    let limits = ImageLimits(maximumPixels: fuzzedArea, maximumFrames: 64, maximumFrameBytes: 1 << 28)
    DecodingContext(limits: limits).run {
        exercise(data, with: JPEGXLCodec())
        if let jpeg = try? JPEGXLFile.jpeg(in: data) {
            precondition(jpeg.starts(with: [0xFF, 0xD8]), "a restored JPEG has no signature")
        }
    }
    return 0
}
