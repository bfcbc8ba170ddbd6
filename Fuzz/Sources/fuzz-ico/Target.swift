import Foundation
import FuzzHarness
import KingfisherBMP

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    exercise(Data(UnsafeBufferPointer(start: bytes, count: count)), with: ICOCodec())
    return 0
}
