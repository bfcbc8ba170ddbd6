import KingfisherCodecSupport

/// One bitmap whose header has been read: its rows become RGBA, from the top, a few at a time.
struct DIBDecoder: ImageDecoder {
    let bitmap: DIBHeader
    let file: EncodedFile
    let colors: ICCTransform?

    init(_ bitmap: DIBHeader, in file: EncodedFile) {
        self.bitmap = bitmap
        self.file = file
        colors = file.reading(bitmap.colorSpace.transform)
    }

    var header: ImageHeader {
        var header = ImageHeader(size: bitmap.size)
        header.hasAlpha = !format.isOpaque
        header.isLossless = true
        return header
    }

    private var format: PixelFormat { bitmap.fields?.alpha == nil ? .rgba8Opaque : .rgba8Straight }

    /// Whether the rows end before they should; the padding of the last one may be missing. The codes of run
    /// lengths have to be read for the answer.
    var endsEarly: Bool {
        switch bitmap.coding {
        case .rows:
            let bytes = bitmap.stride * (bitmap.size.height - 1) + bitmap.rowBytes
            return bitmap.pixels > file.data.count - bytes
        case .rle4, .rle8: return file.reading { !RunLengths(bitmap, in: $0).isComplete }
        }
    }

    func memory(for target: DecodingTarget) -> Int {
        let bytes = memory(minimumSize: target.minimumSize)
        // Resampling makes a second image, which is at most as large.
        return target == .full ? bytes : 2 * bytes
    }

    func memory(minimumSize: PixelSize?) -> Int {
        let codes = bitmap.coding == .rows ? 0 : RunLengths.byteCount(height: bitmap.size.height)
        return codes + PixelBuffer.memoryOfRows(bitmap.size, format: format, minimumSize: minimumSize)
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        try file.reading { reader throws(ImageCodecError) in
            switch bitmap.coding {
            case .rows: try decodeRows(reader, target.minimumSize)
            case .rle4, .rle8: try decodeRunLengths(reader, target.minimumSize)
            }
        }
        .resized(to: target).finished()
    }

    private func decodeRows(
        _ reader: ByteReader, _ minimumSize: PixelSize?
    ) throws(ImageCodecError) -> DecodedPixels {
        guard file.acceptsPartialImages || !endsEarly else { throw .truncated }
        let palette = try palette(in: reader)
        let rows = DIBRowReader(bitmap, fields: bitmap.fields, palette: palette)
        let blank = UInt32(littleEndian: format.isOpaque ? 0xFF00_0000 : 0)
        let pixels = try PixelBuffer.decodingRows(bitmap.size, format: format, minimumSize: minimumSize) {
            wanted, target, bytesPerRow in
            for (index, y) in wanted.enumerated() {
                let row = (target + index * bytesPerRow).assumingMemoryBound(to: UInt32.self)
                if let stored = bitmap.row(y, in: reader) {
                    rows.read(stored, into: row)
                } else {
                    row.update(repeating: blank, count: bitmap.size.width)
                }
            }
        }
        return DecodedPixels(pixels, colors: palette == nil ? colors : nil)
    }

    private func decodeRunLengths(
        _ reader: ByteReader, _ minimumSize: PixelSize?
    ) throws(ImageCodecError) -> DecodedPixels {
        let codes = RunLengths(bitmap, in: reader)
        guard file.acceptsPartialImages || codes.isComplete else { throw .truncated }
        let palette = try palette(in: reader)?.pixels ?? []
        let held = RunLengths.byteCount(height: bitmap.size.height)
        let pixels = try PixelBuffer.decodingRows(
            bitmap.size, format: format, minimumSize: minimumSize, beside: held
        ) { wanted, target, bytesPerRow in
            codes.read(wanted, palette, into: target, bytesPerRow)
        }
        return DecodedPixels(pixels)
    }

    /// The colours in sRGB; nil for pixels without a palette, which have to be converted by `colors`.
    func palette(in reader: ByteReader) throws(ImageCodecError) -> DIBPalette? {
        bitmap.fields == nil ? try DIBPalette(bitmap.palette, in: reader, colors: colors) : nil
    }
}
