import Foundation
import FuzzHarness
import KingfisherBMP

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    exercise(data, with: BMPCodec())
    repeatStill(data, with: BMPCodec())
    return 0
}
