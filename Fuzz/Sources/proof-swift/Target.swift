/// Reads out of bounds if the bytes start with a word that is in no seed.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let bytes, count >= 4 else { return 0 }
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
    defer { copy.deallocate() }
    copy.update(from: bytes, count: count)
    guard copy[0] == 0x57, copy[1] == 0x72, copy[2] == 0x65, copy[3] == 0x6E else { return 0 }
    // The result depends on the byte, so that the optimizer does not remove the read.
    return copy[count] == 0 ? 0 : -1
}
