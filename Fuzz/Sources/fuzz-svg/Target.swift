import Foundation
import FuzzHarness
import KingfisherCodecSupport
import KingfisherSVG

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    // librsvg has no limit of time, so the documents and their images are short.
    guard count <= 4096 else { return 0 }
    let limits = ImageLimits(maximumPixels: 1 << 14, maximumFrameBytes: 1 << 28)
    DecodingContext(limits: limits).run { exercise(data, with: SVGCodec()) }
    return 0
}
