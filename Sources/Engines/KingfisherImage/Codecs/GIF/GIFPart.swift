import Foundation

enum GIFPart {
    /// The file with its complete frames; without any, with the complete rows of the first frame, unless that
    /// is interlaced. Nil for a file that is complete or corrupt, or has no complete row.
    static func file(_ reader: ByteReader) -> Data? {
        guard let packed = reader.uint8(at: 10), reader.count > GIFPalette.globalOffset else { return nil }
        let palette = GIFPalette(packed: packed, offset: GIFPalette.globalOffset)
        var blocks = GIFBlocks(reader, offset: GIFPalette.globalOffset + (palette?.byteCount ?? 0))
        var end: Int?
        do throws(ImageCodecError) {
            while let block = try blocks.next() {
                if case .image = block { end = blocks.end }
            }
            return nil
        } catch {
            guard error == .truncated else { return nil }
            if let end { return Data(reader.bytes[..<end]) + [0x3B] }
            return rows(of: reader, at: blocks.blockStart)
        }
    }

    /// The size of the screen, as far as the bytes tell.
    static func screen(of reader: ByteReader) -> PixelSize? {
        guard let width = reader.uint16(at: 6, bigEndian: false),
            let height = reader.uint16(at: 8, bigEndian: false), let packed = reader.uint8(at: 10)
        else { return nil }
        let declared = PixelSize(width: width, height: height)
        let palette = GIFPalette(packed: packed, offset: GIFPalette.globalOffset)
        var blocks = GIFBlocks(reader, offset: GIFPalette.globalOffset + (palette?.byteCount ?? 0))
        while let block = try? blocks.next() {
            if case .image(let placement) = block { return placement.screen(declared: declared) }
        }
        return blocks.lastPlacement?.screen(declared: declared) ?? declared
    }

    private static func rows(of reader: ByteReader, at start: Int) -> Data? {
        guard reader.uint8(at: start) == 0x2C, let width = reader.uint16(at: start + 5, bigEndian: false),
            let height = reader.uint16(at: start + 7, bigEndian: false),
            let packed = reader.uint8(at: start + 9), packed & 0x40 == 0, width > 0,
            width * height <= reader.limits.maximumPixels
        else { return nil }
        let codeSize = start + 10 + (GIFPalette(packed: packed, offset: start + 10)?.byteCount ?? 0)
        guard let minimum = reader.uint8(at: codeSize), let decoder = try? LZWDecoder(count: width * height),
            let codes = try? LZWCodes(reader, at: codeSize + 1),
            let found = try? decoder.unpack(codes, minimumCodeSize: minimum, acceptsPart: true)
        else { return nil }
        let complete = min(found / width, height)
        guard complete > 0 else { return nil }
        var file = Data(reader.bytes[..<end(ofBlocksIn: reader, from: codeSize + 1)])
        // A frame of fewer rows must not make the screen smaller.
        if let screen = screen(of: reader) {
            for (offset, side) in [(6, screen.width), (8, screen.height)] {
                file[offset] = UInt8(min(side, 0xFFFF) & 0xFF)
                file[offset + 1] = UInt8(min(side, 0xFFFF) >> 8)
            }
        }
        file[start + 7] = UInt8(complete & 0xFF)
        file[start + 8] = UInt8(complete >> 8)
        return file + [0, 0x3B]
    }

    private static func end(ofBlocksIn reader: ByteReader, from start: Int) -> Int {
        var offset = start
        while let length = reader.uint8(at: offset), length > 0, offset + 1 + length <= reader.count {
            offset += 1 + length
        }
        return offset
    }
}
