import Foundation
import FuzzHarness
import KingfisherPNM

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    exercise(data, with: PNMCodec())
    repeatStill(data, with: PNMCodec())
    return 0
}
