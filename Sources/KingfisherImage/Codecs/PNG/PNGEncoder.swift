import Foundation

/// Writes an image as PNG: all rows in one chunk, with the fewest channels that keep it, said to be sRGB.
///
/// Equal pixels give equal bytes, whatever `KernelLevel` the loops run at; see `PNGDeflate` on processors.
/// Memory is the file, some rows, or pieces of long ones, and half a megabyte.
enum PNGEncoder {
    /// Bytes of rows that are filtered before they are compressed; they stay in the second nearest cache.
    private static let batch = 1 << 16

    static func encode(_ pixels: PixelBuffer) throws(ImageCodecError) -> Data {
        let colorType = PNGScanlines.colorType(of: pixels)
        var file = try begin(pixels, as: colorType)
        try file.append(.IDAT) { data throws(ImageCodecError) in
            try compress(pixels, as: colorType, into: &data)
        }
        file.append(.IEND)
        return file.data
    }

    /// What stands before the pixels: size, depth and colour type (IHDR), and the meaning of colours.
    static func begin(
        _ pixels: PixelBuffer, as colorType: PNGFileHeader.ColorType
    ) throws(ImageCodecError) -> PNGAssembly {
        // Numbers in PNG have 31 bits, and so has the length of the chunk that takes all rows.
        let row = pixels.width.multipliedReportingOverflow(by: colorType.channels * 2)
        let whole = (row.partialValue + 1).multipliedReportingOverflow(by: pixels.height)
        guard !row.overflow, !whole.overflow, whole.partialValue < 2_000_000_000 else {
            throw .tooLarge(width: pixels.width, height: pixels.height)
        }
        var file = PNGAssembly()
        let size = UInt32(pixels.width).bigEndianBytes + UInt32(pixels.height).bigEndianBytes
        let depth = UInt8(pixels.bitsPerComponent)
        file.append(.IHDR, fields: size + [depth, UInt8(colorType.rawValue), 0, 0, 0])
        file.append(.sRGB, fields: [perceptual])
        return file
    }

    /// Appends the rows as a zlib stream to `output`.
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

    /// The rendering intent that images are meant for unless somebody says otherwise.
    private static let perceptual: UInt8 = 0
}
