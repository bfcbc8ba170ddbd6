import FuzzHarness
import Kingfisher

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    exercise(bytes, count, with: ImageCodecs.codec(for: .JPEG))
}
