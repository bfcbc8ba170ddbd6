/// The colours of a palette with alpha: PLTE and tRNS (W3C PNG, 11.2.2 and 11.3.1.1).
struct PNGColorTable {
    /// 256 RGBA pixels. Missing entries are opaque black, as libspng decodes an index outside the palette.
    let rgba: [UInt8]

    /// Nil if tRNS is invalid: libspng ignores one with more entries than the palette.
    init?(_ palette: PNGChunk, _ transparency: PNGChunk?, in reader: ByteReader) {
        guard (transparency?.length ?? 1) > 0, (transparency?.length ?? 0) <= palette.length / 3 else {
            return nil
        }
        var rgba = (0..<256).flatMap { _ in [0, 0, 0, 255] as [UInt8] }
        for entry in 0..<palette.length / 3 {
            for channel in 0..<3 {
                rgba[entry * 4 + channel] = UInt8(reader.uint8(at: palette.data + entry * 3 + channel) ?? 0)
            }
            let alpha = transparency.flatMap { entry < $0.length ? reader.uint8(at: $0.data + entry) : nil }
            rgba[entry * 4 + 3] = UInt8(alpha ?? 255)
        }
        self.rgba = rgba
    }
}
