package import Foundation

/// PNG through libspng: every colour type and depth, Adam7, tRNS.
///
/// RGB and palettes become 8-bit RGBA, opaque or with straight alpha; grey stays grey with 1, 2 and 4 bits
/// expanded to 8; 16 bits stay 16, in the machine's byte order. A wrong checksum anywhere is `corrupt`, a
/// file that ends before its IEND chunk is `truncated`.
package struct PNGCodec: ImageCodec {
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

    package func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        try data.reading { reader throws(ImageCodecError) in
            let file = try PNGFileHeader(scanning: reader)
            try ImageLimits.check(file.size)
            try PNGFileHeader.checkEnd(of: reader)
            let decoder = try SPNGDecoder(reader)
            return try PixelBuffer.decoding(file.size, format: file.pixelFormat) {
                rows, bytesPerRow throws(ImageCodecError) in
                try decoder.decode(file, as: file.pixelFormat, into: rows, bytesPerRow: bytesPerRow)
            }
        }
    }

    package func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        try PNGEncoder.encode(pixels)
    }
}
