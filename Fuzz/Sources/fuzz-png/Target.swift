import Foundation
import FuzzHarness
import Kingfisher
@testable import KingfisherImage

/// Stills, also of files that hold an animation. One input in eight keeps its checksums.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let given = Data(UnsafeBufferPointer(start: bytes, count: count))
    let data = given.count % 8 == 0 ? given : repaired(png: given)
    exercise(data, with: registeredCodec(for: .PNG))
    compareWithLibspng(data)
    return 0
}

/// What the library's own decoder makes an image of, libspng does as well, and the same one.
private func compareWithLibspng(_ data: Data) {
    try? data.reading { reader throws(ImageCodecError) in
        let file = try PNGFileHeader(scanning: reader)
        guard !file.size.isEmpty, file.size.area <= fuzzedArea else { return }
        try PNGFileHeader.checkEnd(of: reader)
        guard let own = try PNGFastPath(file, reader)?.decode(minimumSize: nil) else { return }
        guard let other = try? PNGCodec.decodeByLibspng(file, reader) else {
            preconditionFailure("an image that libspng refuses")
        }
        precondition(own.size == other.size && own.format == other.format, "another image than libspng's")
        let length = own.width * own.format.bytesPerPixel
        let areEqual = own.withUnsafeBytes { one in
            other.withUnsafeBytes { two in
                (0..<own.height).allSatisfy { y in
                    one[y * own.bytesPerRow..<y * own.bytesPerRow + length]
                        .elementsEqual(two[y * other.bytesPerRow..<y * other.bytesPerRow + length])
                }
            }
        }
        precondition(areEqual, "other pixels than libspng's")
    }
}
