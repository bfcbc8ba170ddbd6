import KingfisherCodecSupport

/// Decodes parts of a page from its strips or tiles. Smaller levels are averages of boxes.
struct TIFFRegions: ImageRegions {
    /// The most bytes of a strip or tile, all of which may be decoded for one pixel.
    static let maximumPieceBytes = 16 << 20

    /// An eighth of the size. A tile of a further level would need too many of the file.
    let deepestLevel = 3

    private let decoder: TIFFDecoder

    init(_ decoder: TIFFDecoder) { self.decoder = decoder }

    var header: ImageHeader { decoder.header }

    func whole(level: Int) throws(ImageCodecError) -> PixelBuffer? {
        if decoder.page.isTruncated { throw .truncated }
        return try decode(PixelArea(x: 0, y: 0, size: decoder.page.size.level(level)), level: level)
    }

    func part(_ area: PixelArea, level: Int) throws(ImageCodecError) -> PixelBuffer {
        try decode(area, level: level)
    }

    private func decode(_ area: PixelArea, level: Int) throws(ImageCodecError) -> PixelBuffer {
        let page = decoder.page, (left, top) = (area.x << level, area.y << level)
        let size = PixelSize(
            width: min(area.size.width << level, page.size.width - left),
            height: min(area.size.height << level, page.size.height - top))
        guard left >= 0, top >= 0, !size.isEmpty else { throw .tooLarge(width: 0, height: 0) }
        return try decoder.file.reading { _ throws(ImageCodecError) in
            let colors = try decoder.colors()
            let reader = try TIFFReader(
                decoder.structure, page, mixesInks: colors == nil, columns: left..<left + size.width)
            let pixel = page.format.bytesPerPixel
            let row = UnsafeMutableRawPointer.allocate(
                byteCount: reader.columns.count * pixel, alignment: 16)
            defer { row.deallocate() }
            for y in reader.firstRow(before: top)..<top { try reader.read(y, into: row) }
            let skipped = (left - reader.columns.lowerBound) * pixel
            let pixels = try PixelBuffer.decodingRows(size, format: page.format, box: 1 << level) {
                wanted, target, bytesPerRow throws(ImageCodecError) in
                for y in wanted {
                    try reader.read(top + y, into: row)
                    (target + (y - wanted.lowerBound) * bytesPerRow).copyMemory(
                        from: row + skipped, byteCount: size.width * pixel)
                }
            }
            return try DecodedPixels(pixels, colors: colors).finished()
        }
    }
}
