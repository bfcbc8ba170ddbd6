import Foundation
import TestHelpers

@testable import KingfisherImage

/// The result of decoding a PNG by the fast path or by libspng.
enum PNGResult: Equatable {
    case image(PixelFormat, PixelSize, [UInt8])
    case refusal(ImageCodecError)
    /// The fast path does not support the file and leaves it to libspng.
    case leftToLibspng

    static func fastPath(_ data: Data, minimumSize: PixelSize? = nil) -> PNGResult {
        result(data) { file, reader throws(ImageCodecError) in
            try PNGFastPath(file, reader)?.decode(minimumSize: minimumSize)
        }
    }

    static func libspng(_ data: Data) -> PNGResult {
        result(data) { file, reader throws(ImageCodecError) in try PNGDecoder.decodeByLibspng(file, reader) }
    }

    var isRefusal: Bool {
        if case .refusal = self { true } else { false }
    }

    var isImage: Bool {
        if case .image = self { true } else { false }
    }

    private static func result(
        _ data: Data, _ decode: (PNGFileHeader, ByteReader) throws(ImageCodecError) -> PixelBuffer?
    ) -> PNGResult {
        do throws(ImageCodecError) {
            let pixels = try data.reading { reader throws(ImageCodecError) in
                let file = try PNGFileHeader(scanning: reader)
                try ImageLimits.current.check(file.size, format: file.pixelFormat)
                try PNGFileHeader.checkEnd(of: reader)
                return try decode(file, reader)
            }
            return pixels.map { .image($0.format, $0.size, $0.packedBytes) } ?? .leftToLibspng
        } catch {
            return .refusal(error)
        }
    }
}
