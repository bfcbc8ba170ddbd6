import Foundation
import FuzzHarness
@testable import KingfisherImage

/// The scan parser for a JPEG that arrives in pieces: it must find the same as in one piece.
///
/// The last bytes select the pieces, and are also part of the file.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let file = UnsafeRawBufferPointer(start: bytes, count: count)
    var whole = JPEGScans()
    whole.take(file)
    precondition(whole.offset == count, "not all bytes were consumed")
    precondition(whole.ends.count <= JPEGScans.maximumScans, "more scans than the limit")
    precondition(zip(whole.ends, whole.ends.dropFirst()).allSatisfy(<), "scans are out of order")
    precondition(whole.ends.allSatisfy { $0 > 0 && $0 <= count }, "a scan is outside of the file")
    precondition(whole.size.map { !$0.isEmpty } ?? true, "the size is empty")

    var pieces = JPEGScans()
    var start = 0
    var cut = 0
    while start < count {
        let length = min(count - start, 1 + Int(file[count - 1 - cut % min(count, 8)]) % 61)
        pieces.take(UnsafeRawBufferPointer(rebasing: file[start..<start + length]))
        (start, cut) = (start + length, cut + 1)
        precondition(pieces.offset == start, "the offset is wrong")
        precondition(pieces.ends == Array(whole.ends.prefix(pieces.ends.count)), "a scan differs in pieces")
    }
    precondition(pieces.ends == whole.ends && pieces.size == whole.size, "the scans differ in pieces")
    precondition(
        pieces.isProgressive == whole.isProgressive && pieces.hasEnd == whole.hasEnd,
        "the end differs in pieces")
    decode(file, upTo: whole)
    return 0
}

/// Decodes a preview: the file up to the end of a scan, with an end marker.
private func decode(_ file: UnsafeRawBufferPointer, upTo scans: JPEGScans) {
    guard let end = scans.ends.last, let size = scans.size, size.area <= 1 << 16 else { return }
    let data = Data(file.prefix(end)) + [0xFF, 0xD9]
    let decoder = opened(data, by: registeredCodec(for: .JPEG))
    let pixels = try? decoder?.decode(.atLeast(PixelSize(width: 8, height: 8)))
    precondition(pixels.map { !$0.size.isEmpty } ?? true, "the preview is empty")
}
