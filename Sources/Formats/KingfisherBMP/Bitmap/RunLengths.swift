import KingfisherCodecSupport

/// The codes of a bitmap with run lengths, RLE8 or RLE4 ([MS-WMF] 3.1.6.2), whose rows begin at the bottom.
///
/// A first pass notes where rows begin, so that rows can be decoded from the top without the whole image in
/// memory. Pixels that no code sets have the first colour of the palette. Runs end at the right edge, and
/// codes above the top row are ignored.
struct RunLengths {
    /// A position between two codes: `x` and `row`, counted from the bottom, are where the next pixel goes.
    private struct Position {
        var offset: Int
        var x = 0
        var row = 0
    }

    private enum Code {
        case run(count: Int, value: UInt8)
        /// Pixels from an offset on.
        case pixels(count: Int, offset: Int)
        case endOfRow
        case endOfImage
        case skip(x: Int, rows: Int)
    }

    private let reader: ByteReader
    private let size: PixelSize
    private let isNibbles: Bool
    /// Where to begin for a row: the first position in it or, if codes skip it, above it.
    private struct Start {
        let row: Int
        let position: Position
    }

    /// Upwards; not every row has one.
    private var starts: [Start]
    /// Whether the codes end in the last row or by a code that says so.
    private(set) var isComplete = false

    /// Rows for which a position is kept: 32 bytes each.
    private static let mostStarts = 1 << 16

    /// The memory of an image of `height` rows.
    static func byteCount(height: Int) -> Int { min(height, mostStarts) * MemoryLayout<Start>.stride }

    init(_ header: DIBHeader, in reader: ByteReader) {
        self.reader = reader
        size = header.size
        isNibbles = header.coding == .rle4
        var position = Position(offset: header.pixels)
        starts = [Start(row: 0, position: position)]
        let spacing = size.height / Self.mostStarts + 1
        var next = spacing
        while position.row < size.height, let code = code(at: &position.offset) {
            let row = position.row
            advance(&position, over: code)
            if case .endOfImage = code {
                isComplete = true
                return
            }
            if position.row > row, position.row >= next {
                starts.append(Start(row: row + 1, position: position))
                next = position.row + spacing
            }
        }
        isComplete =
            position.row >= size.height || position.row == size.height - 1 && position.x >= size.width
    }

    /// The next code, or nil if the bytes end before it does.
    private func code(at offset: inout Int) -> Code? {
        guard let first = reader.uint8(at: offset), let second = reader.uint8(at: offset + 1) else {
            return nil
        }
        let start = offset + 2
        switch (first, second) {
        case (0, 0): offset = start
        case (0, 1): offset = start
        case (0, 2):
            guard let x = reader.uint8(at: start), let rows = reader.uint8(at: start + 1) else { return nil }
            offset = start + 2
            return .skip(x: x, rows: rows)
        case (0, let count):
            let bytes = isNibbles ? (count + 1) / 2 : count
            guard start + bytes <= reader.count else { return nil }
            // Padded to an even number; the last padding may be missing.
            offset = start + bytes + bytes % 2
            return .pixels(count: count, offset: start)
        case (let count, let value):
            offset = start
            return .run(count: count, value: UInt8(truncatingIfNeeded: value))
        }
        return second == 0 ? .endOfRow : .endOfImage
    }

    private func advance(_ position: inout Position, over code: Code) {
        switch code {
        case .run(let count, _), .pixels(let count, _): position.x += count
        case .endOfRow:
            position.x = 0
            position.row += 1
        case .skip(let x, let rows):
            position.x += x
            position.row += rows
        case .endOfImage: position.row = size.height
        }
    }

    /// Decodes the rows `wanted`, counted from the top, into `target`.
    func read(
        _ wanted: Range<Int>, _ palette: [UInt32], into target: UnsafeMutableRawPointer, _ bytesPerRow: Int
    ) {
        for y in 0..<wanted.count {
            (target + y * bytesPerRow).assumingMemoryBound(to: UInt32.self)
                .update(repeating: palette[0], count: size.width)
        }
        let stored = size.height - wanted.upperBound..<size.height - wanted.lowerBound
        var position = start(of: stored.lowerBound)
        while position.row < stored.upperBound, let code = code(at: &position.offset) {
            if stored.contains(position.row) {
                let row = target + (stored.upperBound - 1 - position.row) * bytesPerRow
                draw(code, at: position.x, palette, into: row.assumingMemoryBound(to: UInt32.self))
            }
            advance(&position, over: code)
        }
    }

    /// The last position that is not behind the start of `row`.
    private func start(of row: Int) -> Position {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle].row <= row { low = middle } else { high = middle }
        }
        return starts[low].position
    }

    private func draw(
        _ code: Code, at x: Int, _ palette: [UInt32], into row: UnsafeMutablePointer<UInt32>
    ) {
        switch code {
        case .run(let count, let value):
            for step in 0..<max(min(count, size.width - x), 0) {
                row[x + step] = palette[isNibbles ? nibble(value, step) : Int(value)]
            }
        case .pixels(let count, let offset):
            // `code(at:)` has checked the bytes.
            for step in 0..<max(min(count, size.width - x), 0) {
                let byte = reader.bytes[offset + (isNibbles ? step / 2 : step)]
                row[x + step] = palette[isNibbles ? nibble(byte, step) : Int(byte)]
            }
        case .endOfRow, .endOfImage, .skip: break
        }
    }

    /// The high half of a byte comes first.
    private func nibble(_ byte: UInt8, _ step: Int) -> Int { Int(step % 2 == 0 ? byte >> 4 : byte & 15) }
}
