import Foundation
import KingfisherTestSupport

/// Writes uncompressed PNGs with chosen filters, stream and chunks.
struct PNGMaker {
    var width: Int
    var height: Int
    /// The colour type of IHDR: 0 grey, 2 RGB, 3 palette, 4 grey with alpha, 6 RGBA.
    var colorType: Int
    /// Filter bytes and filtered samples, row after row.
    var rows: [UInt8]
    var palette: [UInt8] = []
    var transparency: [UInt8] = []

    static let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4]

    /// Filter bytes and filtered samples; the caller sets the other values.
    init(rows: [UInt8]) {
        (width, height, colorType) = (0, 0, 0)
        self.rows = rows
    }

    /// Noise with the filter that `filter` gives for each row, and with many bytes of 0 and 255.
    init(
        _ width: Int, _ height: Int, colorType: Int, using generator: inout SeededGenerator,
        filter: (Int) -> UInt8
    ) {
        self.width = width
        self.height = height
        self.colorType = colorType
        rows = []
        for row in 0..<height {
            rows.append(filter(row))
            for _ in 0..<width * (Self.channels[colorType] ?? 0) {
                let noise = UInt8.random(in: 0...255, using: &generator)
                rows.append([0, 255, noise, noise].randomElement(using: &generator) ?? 0)
            }
        }
        if colorType == 3 {
            palette = (0..<768).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
    }

    /// The rows as a zlib stream of stored blocks, at most 65,535 bytes each (RFC 1950 and 1951).
    var stream: [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        for start in Swift.stride(from: 0, to: max(rows.count, 1), by: 65_535) {
            let block = rows[start..<min(start + 65_535, rows.count)]
            let (length, isLast) = (UInt16(block.count), start + 65_535 >= rows.count)
            stream.append(isLast ? 1 : 0)
            for word in [length, ~length] { stream += [UInt8(word & 255), UInt8(word >> 8)] }
            stream += block
        }
        return stream + ChunkList.bytes(Self.adler(rows))
    }

    /// The file with `data` as its IDAT chunks.
    func chunks(data: [[UInt8]]) -> ChunkList {
        var list = ChunkList(Data())
        let header =
            ChunkList.bytes(UInt32(width)) + ChunkList.bytes(UInt32(height)) + [8, UInt8(colorType), 0, 0, 0]
        list.chunks.append(.init(type: "IHDR", data: header))
        if !palette.isEmpty { list.chunks.append(.init(type: "PLTE", data: palette)) }
        if !transparency.isEmpty { list.chunks.append(.init(type: "tRNS", data: transparency)) }
        list.chunks += data.map { .init(type: "IDAT", data: $0) }
        list.chunks.append(.init(type: "IEND", data: []))
        return list
    }

    var chunks: ChunkList { chunks(data: [stream]) }
    var file: Data { chunks.file }

    /// RFC 1950, 8.2.
    static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
