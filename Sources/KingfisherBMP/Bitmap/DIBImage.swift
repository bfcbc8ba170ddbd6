import Glibc
import KingfisherCodecSupport

/// A bitmap whose header was read: its rows become RGBA, from the top, a few at a time.
struct DIBImage {
    let header: DIBHeader
    let colors: ICCTransform?
    private let reader: ByteReader

    init(_ header: DIBHeader, in reader: ByteReader) {
        self.header = header
        self.reader = reader
        colors = header.colorSpace.transform(in: reader)
    }

    var format: PixelFormat { header.fields?.alpha == nil ? .rgba8Opaque : .rgba8Straight }

    /// Whether the rows end before they should; the padding of the last one may be missing. The codes of run
    /// lengths have to be read for the answer.
    var isTruncated: Bool {
        switch header.coding {
        case .rows:
            let bytes = header.stride * (header.size.height - 1) + header.rowBytes
            return header.pixels > reader.count - bytes
        case .rle4, .rle8: return !RunLengths(header, in: reader).isComplete
        }
    }

    /// Decodes the image, or fewer pixels as `PixelBuffer.decodingRows` does. The colours of a palette are
    /// sRGB afterwards, others have to be converted by `colors`.
    func decode(minimumSize: PixelSize?, acceptsPart: Bool) throws(ImageCodecError) -> DecodedPixels {
        switch header.coding {
        case .rows: return try decodeRows(minimumSize, acceptsPart: acceptsPart)
        case .rle4, .rle8: return try decodeRunLengths(minimumSize, acceptsPart: acceptsPart)
        }
    }

    private func decodeRows(
        _ minimumSize: PixelSize?, acceptsPart: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        guard acceptsPart || !isTruncated else { throw .truncated }
        let palette = try palette
        let rows = DIBRowReader(header, fields: header.fields, palette: palette)
        let blank = UInt32(littleEndian: format.isOpaque ? 0xFF00_0000 : 0)
        let pixels = try PixelBuffer.decodingRows(header.size, format: format, minimumSize: minimumSize) {
            wanted, target, bytesPerRow in
            for (index, y) in wanted.enumerated() {
                let row = (target + index * bytesPerRow).assumingMemoryBound(to: UInt32.self)
                if let stored = storedRow(y) {
                    rows.read(stored, into: row)
                } else {
                    row.update(repeating: blank, count: header.size.width)
                }
            }
        }
        return DecodedPixels(pixels, colors: palette == nil ? colors : nil)
    }

    /// The bytes of a row, counted from the top; nil if the file ends before them.
    func storedRow(_ y: Int) -> UnsafeRawPointer? {
        let row = header.isTopDown ? y : header.size.height - 1 - y
        let offset = header.pixels + row * header.stride
        return reader.slice(at: offset, count: header.rowBytes)?.bytes.baseAddress
    }

    private func decodeRunLengths(
        _ minimumSize: PixelSize?, acceptsPart: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        let codes = RunLengths(header, in: reader)
        guard acceptsPart || codes.isComplete else { throw .truncated }
        let palette = try palette?.pixels ?? []
        let held = RunLengths.byteCount(height: header.size.height)
        let pixels = try PixelBuffer.decodingRows(
            header.size, format: format, minimumSize: minimumSize, beside: held
        ) { wanted, target, bytesPerRow in
            codes.read(wanted, palette, into: target, bytesPerRow)
        }
        return DecodedPixels(pixels)
    }

    /// Nil for pixels without a palette.
    var palette: DIBPalette? {
        get throws(ImageCodecError) {
            header.fields == nil ? try DIBPalette(header.palette, in: reader, colors: colors) : nil
        }
    }

    func memory(minimumSize: PixelSize?) -> Int {
        let codes = header.coding == .rows ? 0 : RunLengths.byteCount(height: header.size.height)
        return codes
            + PixelBuffer.memoryOfRows(header.size, format: format, minimumSize: minimumSize)
    }
}
