import Foundation
import FuzzHarness
import Kingfisher
import SlowGIF

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    let codec = registeredCodec(for: .GIF)
    exercise(data, with: codec)
    rewrite(data, from: codec, to: registeredCodec(for: .APNG))
    compare(data, codec)
    return 0
}

/// Traps if the first frames differ from those of a slow decoder, or if only one of both finds them corrupt.
private func compare(_ data: Data, _ codec: any ImageCodec) {
    guard let decoder = opened(data, by: codec), decoder.header.size.area <= 1 << 14 else { return }
    let expected = SlowGIF(Array(data), upTo: 12)
    guard let source = try? decoder.frames() else {
        return precondition(
            expected.shown.isEmpty && expected.isBroken, "rejected a GIF that has a first frame")
    }
    for (number, shown) in expected.shown.enumerated() {
        guard let frame = source.frame(at: number) else { preconditionFailure("frame \(number) is missing") }
        precondition(frame.pixels() == shown, "pixels of frame \(number) differ")
    }
    precondition(
        !expected.isBroken || source.frame(at: expected.shown.count) == nil,
        "frame \(expected.shown.count) has invalid codes")
}
