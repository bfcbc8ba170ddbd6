import Foundation
import KingfisherCodecSupport

/// Writes BMP files whose rows begin at the bottom, as all programs read them.
enum BMPEncoder {
    static func encode(_ pixels: PixelBuffer) throws(ImageCodecError) -> Data {
        let isOpaque = pixels.format.isOpaque
        let pixels = try pixels.converted(to: isOpaque ? .rgba8Opaque : .rgba8Straight)
        let tooLarge = ImageCodecError.tooLarge(width: pixels.width, height: pixels.height)
        guard max(pixels.width, pixels.height) <= Int(Int32.max) else { throw tooLarge }
        let stride = isOpaque ? (pixels.width * 3 + 3) / 4 * 4 : pixels.width * 4
        let (body, overflow) = stride.multipliedReportingOverflow(by: pixels.height)
        let head = BMPCodec.fileHeaderBytes + (isOpaque ? DIBHeader.infoBytes : DIBHeader.version5Bytes)
        guard !overflow, body <= Int(UInt32.max) - head else { throw tooLarge }
        var file = header(pixels.size, isOpaque: isOpaque, body: body)
        file.reserveCapacity(head + body)
        var row = [UInt8](repeating: 0, count: stride)
        pixels.withUnsafeBytes { bytes in
            for y in (0..<pixels.height).reversed() {
                let source = UnsafeRawBufferPointer(rebasing: bytes[(y * pixels.bytesPerRow)...])
                if isOpaque {
                    writeTriples(source, pixels.width, to: &row)
                } else {
                    writeQuadruples(source, pixels.width, to: &row)
                }
                file.append(contentsOf: row)
            }
        }
        return file
    }

    private static func header(_ size: PixelSize, isOpaque: Bool, body: Int) -> Data {
        let bytes = isOpaque ? DIBHeader.infoBytes : DIBHeader.version5Bytes
        var header = Data("BM".utf8)
        let start = BMPCodec.fileHeaderBytes + bytes
        for number in [start + body, 0, start, bytes, size.width, size.height] { header.append(number, 4) }
        header.append(1, 2)
        header.append(isOpaque ? 24 : 32, 2)
        // BI_RGB or BI_BITFIELDS, then the bytes of the rows, and 72 pixels an inch.
        for number in [isOpaque ? 0 : 3, body, 2_835, 2_835, 0, 0] { header.append(number, 4) }
        guard !isOpaque else { return header }
        for mask in [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000] { header.append(mask, 4) }
        // LCS_sRGB, whose endpoints and exponents are unused.
        header.append(0x7352_4742, 4)
        header.append(Data(count: 48))
        // LCS_GM_IMAGES is the perceptual intent.
        for number in [4, 0, 0, 0] { header.append(number, 4) }
        return header
    }

    private static func writeTriples(_ source: UnsafeRawBufferPointer, _ count: Int, to row: inout [UInt8]) {
        row.withUnsafeMutableBufferPointer { row in
            for x in 0..<count {
                row[x &* 3] = source[x &* 4 &+ 2]
                row[x &* 3 &+ 1] = source[x &* 4 &+ 1]
                row[x &* 3 &+ 2] = source[x &* 4]
            }
        }
    }

    private static func writeQuadruples(
        _ source: UnsafeRawBufferPointer, _ count: Int, to row: inout [UInt8]
    ) {
        row.withUnsafeMutableBufferPointer { row in
            for offset in stride(from: 0, to: count * 4, by: 4) {
                row[offset] = source[offset &+ 2]
                row[offset &+ 1] = source[offset &+ 1]
                row[offset &+ 2] = source[offset]
                row[offset &+ 3] = source[offset &+ 3]
            }
        }
    }
}

extension Data {
    fileprivate mutating func append(_ number: Int, _ bytes: Int) {
        for index in 0..<bytes { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
