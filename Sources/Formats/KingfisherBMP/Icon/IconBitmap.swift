import KingfisherCodecSupport

/// A bitmap of an icon, with its mask of one bit a pixel after the rows: a set bit is transparent.
///
/// Pixels of 32 bits have alpha, and the mask is ignored, unless all alpha samples are 0: then the file is
/// older than alpha. A pixel that inverts the screen, by a set bit and a colour, is transparent.
struct IconBitmap: ImageDecoder {
    private let bitmap: DIBHeader
    private let rows: DIBDecoder

    /// `file` begins with the header.
    init(_ bitmap: DIBHeader, in file: EncodedFile) {
        self.bitmap = bitmap
        rows = DIBDecoder(bitmap, in: file)
    }

    var header: ImageHeader {
        var header = rows.header
        header.hasAlpha = true
        return header
    }

    /// Whether rows are missing, or the mask if it is needed.
    var endsEarly: Bool { (try? rows.file.reading(hasAlpha)) == nil }

    func memory(for target: DecodingTarget) -> Int { 2 * rows.memory(minimumSize: target.minimumSize) }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        try rows.file.reading { reader throws(ImageCodecError) in
            try decode(reader, target.minimumSize)
        }
        .resized(to: target).finished()
    }

    private func decode(
        _ reader: ByteReader, _ minimumSize: PixelSize?
    ) throws(ImageCodecError) -> DecodedPixels {
        let hasAlpha = try hasAlpha(reader)
        let palette = try rows.palette(in: reader)
        let fields = hasAlpha && bitmap.fields?.alpha == nil ? try PixelFields.icon() : bitmap.fields
        let converter = DIBRowReader(bitmap, fields: fields, palette: palette)
        let pixels = try PixelBuffer.decodingRows(
            bitmap.size, format: .rgba8Straight, minimumSize: minimumSize
        ) { wanted, target, bytesPerRow in
            for (index, y) in wanted.enumerated() {
                let row = (target + index * bytesPerRow).assumingMemoryBound(to: UInt32.self)
                // `hasAlpha` has checked the rows and the mask.
                guard let stored = bitmap.row(y, in: reader) else { continue }
                converter.read(stored, into: row)
                if !hasAlpha { applyMask(reader, y, to: row) }
            }
        }
        return DecodedPixels(pixels, colors: palette == nil ? rows.colors : nil)
    }

    /// Whether the pixels have alpha instead of a mask; throws `truncated` as `endsEarly` says.
    private func hasAlpha(_ reader: ByteReader) throws(ImageCodecError) -> Bool {
        guard !rows.endsEarly else { throw .truncated }
        let (width, height) = (bitmap.size.width, bitmap.size.height)
        let hasAlpha =
            bitmap.bitCount == 32
            && (0..<height).contains { y in
                guard let row = bitmap.row(y, in: reader) else { return false }
                return (0..<width).contains { row.load(fromByteOffset: $0 &* 4 &+ 3, as: UInt8.self) != 0 }
            }
        let bytes = maskStride * (height - 1) + (width + 7) / 8
        guard hasAlpha || maskStart <= reader.count - bytes else { throw .truncated }
        return hasAlpha
    }

    private var maskStart: Int { bitmap.pixels + bitmap.stride * bitmap.size.height }
    private var maskStride: Int { (bitmap.size.width + 31) / 32 * 4 }

    private func applyMask(_ reader: ByteReader, _ y: Int, to row: UnsafeMutablePointer<UInt32>) {
        let start = maskStart + bitmap.storedRow(y) * maskStride
        for x in 0..<bitmap.size.width {
            let byte = reader.bytes[start &+ x / 8]
            let isClear = byte &>> UInt8(7 - x % 8) & 1 == 1
            // Clears the alpha of masked pixels and sets the alpha of others; the colour stays.
            let alpha = UInt32(littleEndian: 0xFF00_0000)
            row[x] = isClear ? row[x] & ~alpha : row[x] | alpha
        }
    }
}
