import Foundation
import FuzzHarness
@testable import KingfisherImage

/// The walk through a JPEG that arrives in pieces: wherever it is cut, it finds what it finds in one piece.
///
/// The last bytes choose the cuts, and are part of the file all the same.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let file = UnsafeRawBufferPointer(start: bytes, count: count)
    var whole = JPEGScans()
    whole.take(file)
    precondition(whole.offset == count, "bytes that were not taken")
    precondition(whole.ends.count <= JPEGScans.maximumScans, "more scans than are looked for")
    precondition(zip(whole.ends, whole.ends.dropFirst()).allSatisfy(<), "scans out of order")
    precondition(whole.ends.allSatisfy { $0 > 0 && $0 <= count }, "a scan outside the file")
    precondition(whole.size.map { !$0.isEmpty } ?? true, "an empty size")

    var pieces = JPEGScans()
    var start = 0
    var cut = 0
    while start < count {
        let length = min(count - start, 1 + Int(file[count - 1 - cut % min(count, 8)]) % 61)
        pieces.take(UnsafeRawBufferPointer(rebasing: file[start..<start + length]))
        (start, cut) = (start + length, cut + 1)
        precondition(pieces.offset == start, "a wrong place")
        precondition(pieces.ends == Array(whole.ends.prefix(pieces.ends.count)), "another scan in pieces")
    }
    precondition(pieces.ends == whole.ends && pieces.size == whole.size, "other scans in pieces")
    precondition(
        pieces.isProgressive == whole.isProgressive && pieces.hasEnd == whole.hasEnd, "another end in pieces")
    decode(file, upTo: whole)
    return 0
}

/// What a preview does: the file as far as a scan, with an end of its own.
private func decode(_ file: UnsafeRawBufferPointer, upTo scans: JPEGScans) {
    guard let end = scans.ends.last, let size = scans.size, size.area <= 1 << 16 else { return }
    let data = Data(file.prefix(end)) + [0xFF, 0xD9]
    let pixels = try? registeredCodec(for: .JPEG).decode(data, minimumSize: PixelSize(width: 8, height: 8))
    precondition(pixels.map { !$0.size.isEmpty } ?? true, "an empty preview")
}
