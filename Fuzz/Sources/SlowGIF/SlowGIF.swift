/// A GIF decoder that follows the specification pixel by pixel. The library's codec must give the same
/// result.
///
/// Only for files whose header the codec accepts. Traps if their blocks are invalid nevertheless.
public struct SlowGIF {
    public let width: Int
    public let height: Int
    /// The composed frames, up to the first frame with invalid codes; red, green, blue, alpha from the low
    /// byte up.
    public private(set) var shown: [[UInt32]] = []
    /// Whether the frame after `shown` has invalid codes.
    public private(set) var isBroken = false

    private let file: [UInt8]
    private var canvas: [UInt32]
    private var offset = 13
    private var palette: [UInt32]?
    private var transparent: Int?
    private var disposal = 0

    /// Composes at most `limit` frames.
    public init(_ file: [UInt8], upTo limit: Int) {
        self.file = file
        width = Int(file[6]) | Int(file[7]) << 8
        height = Int(file[8]) | Int(file[9]) << 8
        canvas = Array(repeating: 0, count: width * height)
        palette = readPalette(packed: file[10])
        while shown.count < limit, !isBroken, file[offset] != 0x3B {
            switch file[offset] {
            case 0x21: readExtension()
            case 0x2C: readFrame()
            default: offset += 1
            }
        }
    }

    private func word(_ offset: Int) -> Int { Int(file[offset]) | Int(file[offset + 1]) << 8 }

    private mutating func readPalette(packed: UInt8) -> [UInt32]? {
        guard packed & 0x80 != 0 else { return nil }
        return (0..<2 << Int(packed & 7)).map { _ in
            defer { offset += 3 }
            return UInt32(file[offset]) | UInt32(file[offset + 1]) << 8 | UInt32(file[offset + 2]) << 16
                | 0xFF00_0000
        }
    }

    /// Reads the bytes of the sub-blocks, and advances `offset`.
    private mutating func readBlocks() -> [UInt8] {
        var bytes: [UInt8] = []
        while file[offset] > 0 {
            bytes += file[offset + 1...offset + Int(file[offset])]
            offset += 1 + Int(file[offset])
        }
        offset += 1
        return bytes
    }

    private mutating func readExtension() {
        let label = file[offset + 1]
        offset += 2
        let length = file[offset]
        let bytes = readBlocks()
        guard label == 0xF9, length >= 4 else { return }
        disposal = Int(bytes[0] >> 2 & 7)
        transparent = bytes[0] & 1 == 1 ? Int(bytes[3]) : nil
    }

    private mutating func readFrame() {
        let (left, top) = (word(offset + 1), word(offset + 3))
        let (columns, rows) = (word(offset + 5), word(offset + 7))
        let packed = file[offset + 9]
        offset += 10
        let colors = readPalette(packed: packed) ?? palette ?? []
        let codeSize = Int(file[offset])
        offset += 1
        let bytes = readBlocks()
        let area = columns * rows
        guard let indices = area == 0 ? [] : SlowLZW.unpack(bytes, codeSize: codeSize, count: area) else {
            isBroken = true
            return
        }
        let before = canvas
        let order = (0..<rows).sorted { Self.pass($0, packed) < Self.pass($1, packed) }
        for (stored, row) in order.enumerated() where top + row < height {
            for column in 0..<columns where left + column < width {
                let index = Int(indices[stored * columns + column])
                if index == transparent { continue }
                // Colours outside of the palette are black.
                canvas[(top + row) * width + left + column] =
                    index < colors.count ? colors[index] : 0xFF00_0000
            }
        }
        shown.append(canvas)
        if disposal == 3 { canvas = before }
        if disposal == 2 {
            for row in top..<max(top, min(top + rows, height)) {
                for column in left..<max(left, min(left + columns, width)) {
                    canvas[row * width + column] = 0
                }
            }
        }
        (disposal, transparent) = (0, nil)
    }

    /// Rows of an interlaced frame are stored in four passes, each with the rows between the previous ones.
    private static func pass(_ row: Int, _ packed: UInt8) -> (Int, Int) {
        guard packed & 0x40 != 0 else { return (0, row) }
        return (row % 8 == 0 ? 0 : row % 8 == 4 ? 1 : row % 4 == 2 ? 2 : 3, row)
    }
}
