import Foundation

@testable import KingfisherImage

/// What one of the two ways makes of a PNG.
enum PNGAnswer: Equatable {
    case image(PixelFormat, PixelSize, [UInt8])
    case refusal(ImageCodecError)
    /// The own way leaves the file to libspng.
    case left

    /// What the own way alone says.
    static func own(_ data: Data, minimumSize: PixelSize? = nil) -> PNGAnswer {
        answer(data) { file, reader throws(ImageCodecError) in
            try PNGFastPath(file, reader)?.decode(minimumSize: minimumSize)
        }
    }

    static func libspng(_ data: Data) -> PNGAnswer {
        answer(data) { file, reader throws(ImageCodecError) in try PNGCodec.decodeByLibspng(file, reader) }
    }

    var isRefusal: Bool {
        if case .refusal = self { true } else { false }
    }

    var isImage: Bool {
        if case .image = self { true } else { false }
    }

    private static func answer(
        _ data: Data, _ way: (PNGFileHeader, ByteReader) throws(ImageCodecError) -> PixelBuffer?
    ) -> PNGAnswer {
        do throws(ImageCodecError) {
            let pixels = try data.reading { reader throws(ImageCodecError) in
                let file = try PNGFileHeader(scanning: reader)
                try ImageLimits.check(file.size, format: file.pixelFormat)
                try PNGFileHeader.checkEnd(of: reader)
                return try way(file, reader)
            }
            return pixels.map { .image($0.format, $0.size, $0.packedBytes) } ?? .left
        } catch {
            return .refusal(error)
        }
    }
}

extension PixelBuffer {
    /// The bytes of all pixels, row after row, without padding.
    var packedBytes: [UInt8] {
        withUnsafeBytes { bytes in
            (0..<height).flatMap { bytes[$0 * bytesPerRow..<$0 * bytesPerRow + width * format.bytesPerPixel] }
        }
    }
}
