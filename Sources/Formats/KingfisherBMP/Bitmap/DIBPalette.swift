import KingfisherCodecSupport

/// The colours of a bitmap with at most 8 bits a pixel.
struct DIBPalette {
    /// Where the entries are in the file.
    struct Place: Hashable {
        let offset: Int
        let count: Int
        /// Three bytes (RGBTRIPLE) or four (RGBQUAD).
        let entryBytes: Int

        /// `declared` is 0 for all colours of the depth; `limit` is the offset of the pixels, or 0. Writers
        /// for OS/2 leave out entries, which shows only by that offset.
        init(depth: Int, declared: Int, at offset: Int, entryBytes: Int, upTo limit: Int) {
            self.offset = offset
            self.entryBytes = entryBytes
            guard depth <= 8 else {
                count = 0
                return
            }
            let most = 1 << depth
            let wanted = declared > 0 ? min(declared, most) : most
            count = limit > offset ? min(wanted, (limit - offset) / entryBytes) : wanted
        }

        var end: Int { offset + count * entryBytes }
    }

    /// RGBA pixels for every byte, opaque; entries that the file does not have are black.
    let pixels: [UInt32]

    init(_ place: Place, in reader: ByteReader, colors: ICCTransform?) throws(ImageCodecError) {
        var pixels = [UInt32](repeating: Self.pixel(red: 0, green: 0, blue: 0), count: 256)
        for index in 0..<place.count {
            let offset = place.offset + index * place.entryBytes
            guard let blue = reader.uint8(at: offset), let green = reader.uint8(at: offset + 1),
                let red = reader.uint8(at: offset + 2)
            else { throw .truncated }
            pixels[index] = Self.pixel(red: red, green: green, blue: blue)
        }
        if let colors {
            pixels.withUnsafeMutableBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                colors.convert(start, bytesPerRow: bytes.count, size: PixelSize(width: 256, height: 1))
            }
        }
        self.pixels = pixels
    }

    private static func pixel(red: Int, green: Int, blue: Int) -> UInt32 {
        UInt32(littleEndian: UInt32(truncatingIfNeeded: red | green << 8 | blue << 16) | 0xFF00_0000)
    }
}
