package import Foundation

/// PNG: every colour type and depth, Adam7, tRNS; by a way of our own where samples have 8 bits and rows are
/// not interlaced, through libspng otherwise.
///
/// RGB and palettes become 8-bit RGBA, opaque or with straight alpha; grey stays grey with 1, 2 and 4 bits
/// expanded to 8; 16 bits stay 16, in the machine's byte order. A wrong checksum anywhere is `corrupt`, a
/// file that ends before its IEND chunk is `truncated`.
///
/// Where less than the whole picture will do, the own way averages it while it streams, and straight alpha
/// becomes premultiplied. Colours of an embedded profile become sRGB.
package struct PNGCodec: DeferringCodec {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    package init() {}

    package var format: ImageFormat { .PNG }
    package var keepsFileBytes: Bool { false }

    package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: Self.signature)
    }

    package func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        let file = try data.reading(PNGFileHeader.init(scanning:))
        try ImageLimits.check(file.size)
        var header = ImageHeader(size: file.size)
        header.hasAlpha = file.hasAlpha
        header.isLossless = true
        header.bitsPerComponent = file.bitsPerComponent
        return header
    }

    package func endsEarly(_ data: Data) -> Bool {
        do throws(ImageCodecError) {
            try data.reading(PNGFileHeader.checkEnd(of:))
            return false
        } catch {
            return error == .truncated
        }
    }

    package func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        let pixels =
            try acceptsPartialImages && endsEarly(data)
            ? decodePart(of: data, minimumSize: minimumSize) : decodeWhole(data, minimumSize: minimumSize)
        let colors = try data.reading { reader throws(ImageCodecError) in
            try PNGFileHeader(scanning: reader).colors(in: reader, of: pixels.format)
        }
        return DecodedPixels(pixels, colors: colors)
    }

    private func decodeWhole(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        try data.reading { reader throws(ImageCodecError) in
            let file = try PNGFileHeader(scanning: reader)
            try ImageLimits.check(file.size, format: file.pixelFormat)
            try PNGFileHeader.checkEnd(of: reader)
            if let own = try PNGFastPath(file, reader)?.decode(minimumSize: minimumSize) { return own }
            return try Self.decodeByLibspng(file, reader)
        }
    }

    /// The way of all files that `PNGFastPath` leaves, and the oracle of its tests.
    static func decodeByLibspng(
        _ file: PNGFileHeader, _ reader: ByteReader
    ) throws(ImageCodecError) -> PixelBuffer {
        let decoder = try SPNGDecoder(reader)
        return try PixelBuffer.decoding(file.size, format: file.pixelFormat) {
            rows, bytesPerRow throws(ImageCodecError) in
            try decoder.decode(file, as: file.pixelFormat, into: rows, bytesPerRow: bytesPerRow)
        }
    }

    package func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        try PNGEncoder.encode(pixels)
    }
}
