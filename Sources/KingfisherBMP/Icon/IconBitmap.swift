import Glibc
import KingfisherCodecSupport

/// A bitmap of an icon, with its mask of one bit a pixel after the rows: a set bit is transparent.
///
/// Pixels of 32 bits have alpha, and the mask is ignored, unless all alpha samples are 0: then the file is
/// older than alpha. A pixel that inverts the screen, by a set bit and a colour, is transparent.
struct IconBitmap {
    private let header: DIBHeader
    private let image: DIBImage
    private let reader: ByteReader
    private let hasAlpha: Bool

    init(_ header: DIBHeader, in reader: ByteReader) throws(ImageCodecError) {
        self.header = header
        self.reader = reader
        image = DIBImage(header, in: reader)
        guard !image.isTruncated else { throw .truncated }
        hasAlpha = header.bitCount == 32 && Self.hasAlpha(image)
        if !hasAlpha {
            let bytes = maskStride * (header.size.height - 1) + (header.size.width + 7) / 8
            guard maskStart <= reader.count - bytes else { throw .truncated }
        }
    }

    private static func hasAlpha(_ image: DIBImage) -> Bool {
        let width = image.header.size.width
        return (0..<image.header.size.height).contains { y in
            guard let row = image.storedRow(y) else { return false }
            return (0..<width).contains { row.load(fromByteOffset: $0 &* 4 &+ 3, as: UInt8.self) != 0 }
        }
    }

    private var maskStart: Int { header.pixels + header.stride * header.size.height }
    private var maskStride: Int { (header.size.width + 31) / 32 * 4 }

    func decode(minimumSize: PixelSize?) throws(ImageCodecError) -> DecodedPixels {
        let palette = try image.palette
        let fields = hasAlpha && header.fields?.alpha == nil ? try PixelFields.icon() : header.fields
        let rows = DIBRowReader(header, fields: fields, palette: palette)
        let pixels = try PixelBuffer.decodingRows(
            header.size, format: .rgba8Straight, minimumSize: minimumSize
        ) { wanted, target, bytesPerRow in
            for (index, y) in wanted.enumerated() {
                let row = (target + index * bytesPerRow).assumingMemoryBound(to: UInt32.self)
                // The rows were checked before.
                guard let stored = image.storedRow(y) else { continue }
                rows.read(stored, into: row)
                if !hasAlpha { applyMask(y, to: row) }
            }
        }
        return DecodedPixels(pixels, colors: palette == nil ? image.colors : nil)
    }

    private func applyMask(_ y: Int, to row: UnsafeMutablePointer<UInt32>) {
        let stored = header.isTopDown ? y : header.size.height - 1 - y
        let start = maskStart + stored * maskStride
        for x in 0..<header.size.width {
            let byte = reader.bytes[start &+ x / 8]
            let isClear = byte &>> UInt8(7 - x % 8) & 1 == 1
            // Clears the alpha of masked pixels, sets that of others; the colour stays.
            let alpha = UInt32(littleEndian: 0xFF00_0000)
            row[x] = isClear ? row[x] & ~alpha : row[x] | alpha
        }
    }

    func memory(minimumSize: PixelSize?) -> Int { image.memory(minimumSize: minimumSize) }
}
