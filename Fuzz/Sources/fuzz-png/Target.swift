import Foundation
import FuzzHarness
import Kingfisher

/// Stills and animations: the registry tells them apart.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    return exercise(bytes, count, with: ImageCodecs.codec(for: data) ?? ImageCodecs.codec(for: .PNG))
}
