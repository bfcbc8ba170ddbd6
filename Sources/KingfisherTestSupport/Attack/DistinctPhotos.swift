public import Foundation
import Kingfisher

/// JPEG files of many megapixels that differ, and share all bytes but a few.
///
/// Each has its number in a comment, so that no client can take one for another; the rest is noise that a
/// decoder has to read whole.
public struct DistinctPhotos: Sendable {
    /// Bytes after which the noise repeats itself.
    private static let noiseLength = 2 << 20

    private let start: Data
    private let rest: Data
    private let padding: Data

    /// - Parameter byteCount: Bytes of each file, reached by bytes after the end of the image; no padding if
    ///   nil.
    /// - Throws: `CocoaError` when there is no memory for the pixels.
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

    /// The file with a number, in pieces.
    public func pieces(_ number: Int) -> [Data] { [start, Self.comment(number), rest, padding] }

    /// Bytes of each file.
    public var byteCount: Int { pieces(0).reduce(0) { $0 + $1.count } }

    /// A segment COM (ITU-T T.81, B.2.4.5) of eight bytes.
    private static func comment(_ number: Int) -> Data {
        Data([0xFF, 0xFE, 0, 10]) + withUnsafeBytes(of: UInt64(number).bigEndian) { Data($0) }
    }
}
