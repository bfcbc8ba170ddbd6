import Foundation
import Testing

@testable import KingfisherImage

@Suite struct EXIFTests {
    /// A TIFF file with one directory of the given tags, types and values.
    private func tiff(_ entries: [(Int, Int, Int)], order: String = "II", magic: Int = 42, directory: Int = 8)
        -> [UInt8]
    {
        let little = order == "II"
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return little ? bytes : bytes.reversed()
        }
        var bytes = Array(order.utf8) + number(magic, 2) + number(directory, 4) + number(entries.count, 2)
        for (tag, type, value) in entries {
            bytes += number(tag, 2) + number(type, 2) + number(1, 4)
            bytes += number(value, 2) + [0, 0]
        }
        return bytes + [0, 0, 0, 0]
    }

    private func orientation(_ bytes: [UInt8]) -> Image.Orientation? {
        bytes.withUnsafeBytes { EXIF.orientation(inTIFF: ByteReader($0)) }
    }

    @Test(arguments: ["II", "MM"]) func findsTheTagInEitherByteOrder(order: String) {
        for value in 1...8 {
            let bytes = tiff([(0x10F, 2, 99), (0x112, 3, value), (0x11A, 5, 3)], order: order)
            #expect(orientation(bytes) == Image.Orientation(exif: value))
        }
    }

    @Test func invalidFilesHaveNoOrientation() {
        #expect(orientation(tiff([(0x112, 3, 0)])) == nil)
        #expect(orientation(tiff([(0x112, 3, 9)])) == nil)
        #expect(orientation(tiff([(0x112, 4, 6)])) == nil)
        #expect(orientation(tiff([(0x112, 3, 6)], order: "XX")) == nil)
        #expect(orientation(tiff([(0x112, 3, 6)], magic: 43)) == nil)
        #expect(orientation(tiff([(0x112, 3, 6)], directory: 0x7FFF_FFFF)) == nil)
        #expect(orientation(tiff([(0x112, 3, 6)], directory: 0xFFFF_FFFF)) == nil)
        #expect(orientation([]) == nil)
    }

    @Test func filesTruncatedAnywhereHaveNoOrientation() {
        let bytes = tiff([(0x10F, 2, 99), (0x112, 3, 6)])
        for count in 0..<bytes.count - 6 { #expect(orientation(Array(bytes.prefix(count))) == nil) }
        #expect(orientation(bytes) == .right)
    }
}
