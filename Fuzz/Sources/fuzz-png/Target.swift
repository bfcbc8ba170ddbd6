import Foundation
import FuzzHarness
import Kingfisher
@testable import KingfisherImage

/// Still images, also of files with an animation. One input in eight keeps its checksums.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let given = Data(UnsafeBufferPointer(start: bytes, count: count))
    let data = given.count % 8 == 0 ? given : repaired(png: given)
    exercise(data, with: registeredCodec(for: .PNG))
    compareWithLibspng(data)
    return 0
}

/// If the library's decoder accepts a file, libspng must decode the same image.
private func compareWithLibspng(_ data: Data) {
    try? data.reading { reader throws(ImageCodecError) in
        let file = try PNGFileHeader(scanning: reader)
        guard !file.size.isEmpty, file.size.area <= fuzzedArea else { return }
        try PNGFileHeader.checkEnd(of: reader)
        guard let own = try PNGFastPath(file, reader)?.decode(minimumSize: nil) else { return }
        guard let other = try? PNGDecoder.decodeByLibspng(file, reader) else {
            preconditionFailure("decoded a file that libspng rejects")
        }
        precondition(
            own.size == other.size && own.format == other.format, "size or format differs from libspng")
        let length = own.width * own.format.bytesPerPixel
        let areEqual = own.withUnsafeBytes { one in
            other.withUnsafeBytes { two in
                (0..<own.height).allSatisfy { y in
                    one[y * own.bytesPerRow..<y * own.bytesPerRow + length]
                        .elementsEqual(two[y * other.bytesPerRow..<y * other.bytesPerRow + length])
                }
            }
        }
        precondition(areEqual, "pixels differ from libspng")
    }
}
