import Foundation
import FuzzHarness
import Kingfisher

/// Stills and animations: the registry tells them apart.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    let codec = ImageCodecs.codec(for: data) ?? registeredCodec(for: .PNG)
    exercise(data, with: codec)
    rewrite(data, from: codec, to: registeredCodec(for: .GIF))
    return 0
}
