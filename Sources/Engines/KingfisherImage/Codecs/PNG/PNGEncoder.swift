import Foundation

/// Encodes an image as PNG: one IDAT chunk, the fewest channels that keep all information, and an sRGB chunk.
///
/// Equal pixels give equal bytes at every `KernelLevel`; see `PNGDeflate` about processors. Memory: the file,
/// some rows (or parts of long rows), and half a megabyte.
enum PNGEncoder {
    /// Bytes of rows to filter before compressing them; they fit in the L2 cache.
    private static let batch = 1 << 16

    static func encode(_ pixels: PixelBuffer) throws(ImageCodecError) -> Data {
        try encode(pixels, as: PNGScanlines.colorType(of: pixels), texts: [])
    }

    static func encode(
        _ pixels: PixelBuffer, as colorType: PNGFileHeader.ColorType, texts: [PNGTextField]
    ) throws(ImageCodecError) -> Data {
        var file = try begin(pixels, as: colorType)
        for text in texts { file.append(.tEXt, fields: text.bytes) }
        try file.append(.IDAT) { data throws(ImageCodecError) in
            try compress(pixels, as: colorType, into: &data)
        }
        file.append(.IEND)
        return file.data
    }

    static func begin(
        _ pixels: PixelBuffer, as colorType: PNGFileHeader.ColorType
    ) throws(ImageCodecError) -> PNGAssembly {
        // Integers in PNG have 31 bits, including the length of the IDAT chunk.
        let row = pixels.width.multipliedReportingOverflow(by: colorType.channels * 2)
        let whole = (row.partialValue + 1).multipliedReportingOverflow(by: pixels.height)
        guard !row.overflow, !whole.overflow, whole.partialValue < 2_000_000_000 else {
            throw .tooLarge(width: pixels.width, height: pixels.height)
        }
        return header(pixels.size, bits: pixels.bitsPerComponent, colorType)
    }

    /// The signature, IHDR and sRGB.
    static func header(
        _ size: PixelSize, bits: Int, _ colorType: PNGFileHeader.ColorType
    ) -> PNGAssembly {
        var file = PNGAssembly()
        let sides = UInt32(size.width).bigEndianBytes + UInt32(size.height).bigEndianBytes
        file.append(.IHDR, fields: sides + [UInt8(bits), UInt8(colorType.rawValue), 0, 0, 0])
        file.append(.sRGB, fields: [perceptual])
        return file
    }

    static func compress(
        _ pixels: PixelBuffer, as colorType: PNGFileHeader.ColorType, into output: inout Data
    ) throws(ImageCodecError) {
        let lines = try PNGScanlines(pixels, as: colorType)
        let window = try PNGWindow(for: lines)
        output.reserveCapacity(output.count + window.byteCount + window.byteCount / 16 + 2 * batch)
        let stream = PNGDeflate(window.best)
        let rows = lines.piece < pixels.width ? 1 : max(1, batch / lines.length)
        let filtered = try Scratch(byteCount: rows * lines.headLength)
        for top in stride(from: 0, to: pixels.height, by: rows) {
            let end = min(top + rows, pixels.height)
            lines.filter(top..<end, into: filtered.bytes)
            let filter = filtered.bytes[0]
            try stream.append(
                filtered.bytes, count: (end - top) * lines.headLength,
                isLast: end == pixels.height && lines.piece == pixels.width, to: &output)
            for start in stride(from: lines.piece, to: pixels.width, by: lines.piece) {
                let count = lines.filter(top, from: start, by: filter, into: filtered.bytes)
                try stream.append(
                    filtered.bytes, count: count,
                    isLast: end == pixels.height && pixels.width - start <= lines.piece, to: &output)
            }
        }
    }

    private static let perceptual: UInt8 = 0
}
