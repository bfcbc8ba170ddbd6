public import Foundation
import Kingfisher

/// Different JPEG files of many megapixels that share nearly all bytes.
///
/// Each contains its number in a comment, so that clients cannot treat two as equal; the rest is noise that a
/// decoder must read completely.
public struct DistinctPhotos: Sendable {
    /// The period of the noise in bytes.
    private static let noiseLength = 2 << 20

    private let start: Data
    private let rest: Data
    private let padding: Data

    /// - Parameter byteCount: The size of each file, reached by padding after the end of the image; no
    ///   padding if nil.
    /// - Throws: `CocoaError` if there is no memory for the pixels.
    public init(width: Int = 4_000, height: Int = 3_000, byteCount: Int? = nil) throws {
        let pixels = try PixelBuffer(width: width, height: height, format: .rgba8Opaque) { rows, _ in
            var generator = SeededGenerator(seed: 18)
            let noise = (0..<Self.noiseLength / 8).map { _ in generator.next() & 0x1F1F_1F1F_1F1F_1F1F }
            noise.withUnsafeBytes { noise in
                for offset in stride(from: 0, to: rows.count, by: Self.noiseLength) {
                    let part = rows[offset..<min(offset + Self.noiseLength, rows.count)]
                    UnsafeMutableRawBufferPointer(rebasing: part).copyBytes(from: noise.prefix(part.count))
                }
            }
        }
        guard let file = Image(pixels: pixels).kf.jpegRepresentation(compressionQuality: 0.8) else {
            throw CocoaError(.coderInvalidValue)
        }
        start = file.prefix(2)
        rest = file.dropFirst(2)
        padding = Data(count: max(0, (byteCount ?? 0) - file.count - Self.comment(0).count))
    }

    /// The file with this number, in pieces.
    public func pieces(_ number: Int) -> [Data] { [start, Self.comment(number), rest, padding] }

    /// The size of each file in bytes.
    public var byteCount: Int { pieces(0).reduce(0) { $0 + $1.count } }

    /// A COM segment (ITU-T T.81, B.2.4.5) with a payload of eight bytes.
    private static func comment(_ number: Int) -> Data {
        Data([0xFF, 0xFE, 0, 10]) + withUnsafeBytes(of: UInt64(number).bigEndian) { Data($0) }
    }
}
