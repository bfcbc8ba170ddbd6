import CKernels

/// A fast decoder for the most common PNGs: 8 bits, not interlaced. Its result equals libspng's result.
///
/// The rows pass through a buffer of 192 KB: inflated by ISA-L, unfiltered four at a time, and averaged
/// immediately if a smaller image is enough.
struct PNGFastPath {
    private let file: PNGFileHeader
    private let pieces: PNGDataPieces
    private let colors: PNGColorTable?
    private let acceptsPart: Bool
    private let limits: ImageLimits

    /// Nil for a file that libspng must decode. Throws if its chunks are invalid.
    ///
    /// With `acceptsPart` the file may be truncated; missing rows are transparent, or black in an opaque
    /// image.
    init?(_ file: PNGFileHeader, _ reader: ByteReader, acceptsPart: Bool = false) throws(ImageCodecError) {
        guard Self.handles(file) else { return nil }
        let chunks = try PNGPixelChunks(scanning: reader, acceptsPart: acceptsPart)
        guard chunks.isPlain else { return nil }
        self.acceptsPart = acceptsPart
        limits = reader.limits
        if file.colorType == .palette {
            guard let palette = chunks.palette,
                let colors = PNGColorTable(palette, chunks.transparency, in: reader)
            else { return nil }
            self.colors = colors
        } else {
            colors = nil
        }
        self.file = file
        pieces = PNGDataPieces(reader, in: chunks.data)
    }

    private static func handles(_ file: PNGFileHeader) -> Bool {
        // ISA-L counts output bytes in 32 bits.
        guard file.bitDepth == 8, !file.isInterlaced, PNGRowPlan.filteredStride(file) <= UInt32.max else {
            return false
        }
        // libspng handles the rare case of a single transparent colour.
        return !file.hasTransparencyChunk || file.colorType == .palette || file.colorType.hasAlpha
    }

    /// The image, shrunk by whole boxes if `minimum` allows it; nil if the stream is invalid, so that libspng
    /// decides on the error.
    func decode(minimumSize minimum: PixelSize?) throws(ImageCodecError) -> PixelBuffer? {
        let shrink = minimum.flatMap { RowShrink(file, minimumSize: $0) }
        let plan = PNGRowPlan(file, group: shrink?.plan.boxHeight ?? 1)
        let made =
            shrink?.byteCount(rowsAtOnce: plan.rowsAtOnce)
            ?? PixelBuffer.byteCount(of: file.size, format: file.pixelFormat)
        try limits.check(frameBytes: made, beside: plan.byteCount)
        guard let rows = try PNGRows(file, pieces, colors: colors, blank: blank, plan: plan) else {
            return nil
        }
        var isWhole = false
        let pixels =
            if let shrink {
                try shrink.image(from: rows, isWhole: &isWhole)
            } else {
                try image(from: rows, isWhole: &isWhole)
            }
        guard isWhole, rows.finish() else { return nil }
        if rows.found == 0 { throw .truncated }
        return pixels
    }

    private var blank: UInt32? {
        guard acceptsPart else { return nil }
        return file.pixelFormat.isOpaque ? UInt32(littleEndian: 0xFF00_0000) : 0
    }

    private func image(from rows: PNGRows, isWhole: inout Bool) throws(ImageCodecError) -> PixelBuffer {
        try PixelBuffer.decoding(file.size, format: file.pixelFormat) { target, stride in
            let target = target.assumingMemoryBound(to: UInt8.self)
            isWhole = Swift.stride(from: 0, to: file.size.height, by: rows.rowsAtOnce).allSatisfy { y in
                let count = min(rows.rowsAtOnce, file.size.height - y)
                return rows.read(count, into: target + y * stride, stride: stride)
            }
        }
    }
}
