import Kingfisher

/// Decodes the chunks of a file into pixels.
struct QOIReader {
    private let bytes: [UInt8]
    private var offset = 14
    private var pixel = QOIPixel.first
    private var seen = [QOIPixel](repeating: .zero, count: 64)
    private var run: UInt8 = 0

    init(_ data: Data) {
        bytes = [UInt8](data)
    }

    mutating func next() throws(ImageCodecError) -> QOIPixel {
        if run > 0 {
            run -= 1
            return pixel
        }
        let tag = try byte()
        switch (tag, tag >> 6) {
        case (0xFE, _): pixel = QOIPixel(try byte(), try byte(), try byte(), pixel.w)
        case (0xFF, _): pixel = QOIPixel(try byte(), try byte(), try byte(), try byte())
        case (_, 0): pixel = seen[Int(tag)]
        case (_, 1): pixel = pixel &+ QOIPixel(tag >> 4 & 3, tag >> 2 & 3, tag & 3, 2) &- 2
        case (_, 2):
            let green = tag & 63 &- 32
            let other = try byte()
            pixel = pixel &+ QOIPixel(green &+ other >> 4 &- 8, green, green &+ other & 15 &- 8, 0)
        default: run = tag & 63
        }
        seen[pixel.slot] = pixel
        return pixel
    }

    /// Checks that the last run ends at the last pixel and that the end marker follows.
    func end() throws(ImageCodecError) {
        guard run == 0 else { throw .corrupt("a run beyond the last pixel") }
        guard bytes.count - offset >= 8 else { throw .truncated }
        guard bytes[offset..<offset + 8].elementsEqual([0, 0, 0, 0, 0, 0, 0, 1]) else {
            throw .corrupt("no end marker after the last pixel")
        }
    }

    private mutating func byte() throws(ImageCodecError) -> UInt8 {
        // The end marker is not a chunk.
        guard offset < bytes.count - 8 else { throw .truncated }
        offset += 1
        return bytes[offset - 1]
    }
}
