import Foundation
import FuzzHarness
import Kingfisher

/// Animations, which are also written as GIF if possible. One input in eight keeps its checksums.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let given = Data(UnsafeBufferPointer(start: bytes, count: count))
    let data = given.count % 8 == 0 ? given : repaired(png: given)
    let codec = registeredCodec(for: .APNG)
    exercise(data, with: codec)
    rewrite(data, from: codec, to: registeredCodec(for: .GIF))
    return 0
}
