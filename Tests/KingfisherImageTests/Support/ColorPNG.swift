import Foundation

/// Writes small PNGs of every colour type, depth and interlacing from samples.
struct ColorPNG {
    /// As in IHDR: 0 grey, 2 RGB, 3 palette, 4 grey with alpha, 6 RGBA.
    var colorType = 2
    var depth = 8
    var isInterlaced = false
    let width: Int
    /// The channels of each pixel, row by row; for a palette the colours, each with an entry of its own.
    let pixels: [[Int]]

    /// Columns and rows of Adam7's passes: first and step (W3C PNG, section 8.1).
    private static let passes = [
        (0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2),
    ]

    /// The file with `chunks` after IHDR.
    func list(_ chunks: [ChunkList.Chunk] = []) -> ChunkList {
        let height = pixels.count / width
        var rows: [UInt8] = []
        for (x0, dx, y0, dy) in isInterlaced ? Self.passes : [(0, 1, 0, 1)] {
            for y in stride(from: y0, to: height, by: dy) where x0 < width {
                rows.append(0)
                for x in stride(from: x0, to: width, by: dx) { rows += bytes(y * width + x) }
            }
        }
        var maker = PNGMaker(rows: rows)
        if colorType == 3 { maker.palette = pixels.flatMap { $0.map { UInt8($0) } } }
        (maker.width, maker.height, maker.colorType) = (width, height, colorType)
        var list = maker.chunks
        list.chunks[0].data[8] = UInt8(depth)
        list.chunks[0].data[12] = isInterlaced ? 1 : 0
        list.chunks.insert(contentsOf: chunks, at: 1)
        return list
    }

    private func bytes(_ pixel: Int) -> [UInt8] {
        if colorType == 3 { return [UInt8(pixel)] }
        return pixels[pixel].flatMap { depth == 16 ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0)] }
    }
}

extension ChunkList.Chunk {
    static func cICP(_ numbers: UInt8...) -> Self { Self(type: "cICP", data: numbers) }

    /// In hundred thousandths.
    static func gAMA(_ number: UInt32) -> Self { Self(type: "gAMA", data: ChunkList.bytes(number)) }

    /// White, red, green and blue, in hundred thousandths.
    static func cHRM(_ numbers: [UInt32]) -> Self {
        Self(type: "cHRM", data: numbers.flatMap(ChunkList.bytes))
    }

    static let sRGB = Self(type: "sRGB", data: [0])
    static let whiteOfD65: [UInt32] = [31_270, 32_900]
    static let cHRMOfSRGB = cHRM(whiteOfD65 + [64_000, 33_000, 30_000, 60_000, 15_000, 6_000])
    static let cHRMOfAdobeRGB = cHRM(whiteOfD65 + [64_000, 33_000, 21_000, 71_000, 15_000, 6_000])
}
