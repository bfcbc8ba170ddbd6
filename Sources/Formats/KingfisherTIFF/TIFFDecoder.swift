import KingfisherCodecSupport
import KingfisherTIFFStructure

/// One page of a TIFF file, whose directory has been read.
struct TIFFDecoder: ImageDecoder {
    let file: EncodedFile
    let structure: TIFFStructure
    let page: TIFFPage

    init(_ file: EncodedFile, page: Int) throws(ImageCodecError) {
        self.file = file
        structure = try TIFFStructure(file.reader)
        self.page = try TIFFPage(structure, page: page)
    }

    var header: ImageHeader {
        var header = ImageHeader(size: page.size)
        header.orientation = page.orientation
        header.hasAlpha = !page.format.isOpaque
        header.bitsPerComponent = page.kind == .palette ? 8 : page.isDeep ? page.bits : min(page.bits, 8)
        header.isLossless = page.isLossless
        return header
    }

    func memory(for target: DecodingTarget) -> Int {
        let bytes = page.decodingMemory(minimumSize: target.minimumSize)
        // Resampling makes a second image, which is at most as large; so does turning, which is included.
        let (twice, overflow) = bytes.multipliedReportingOverflow(by: page.orientation == .up ? 2 : 1)
        return overflow ? .max : twice
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        if page.isTruncated { throw .truncated }
        let memory = page.decodingMemory(minimumSize: target.minimumSize)
        try file.limits.check(frameBytes: memory, beside: 0)
        return try file.reading { _ throws(ImageCodecError) in
            let colors = try colors()
            let rows = try TIFFReader(structure, page, mixesInks: colors == nil)
            let pixels = try PixelBuffer.decodingRows(
                page.size, format: page.format,
                minimumSize: target.stored(page.orientation).minimumSize, beside: page.workingMemory
            ) { wanted, target, bytesPerRow throws(ImageCodecError) in
                for y in wanted { try rows.read(y, into: target + (y - wanted.lowerBound) * bytesPerRow) }
            }
            return try DecodedPixels(pixels, colors: colors).upright(from: page.orientation)
                .resized(to: target).finished()
        }
    }

    func colors() throws(ImageCodecError) -> ICCTransform? {
        guard let profile = structure.bytes(.profile, of: page.directory) else { return nil }
        try file.limits.check(metadataBytes: profile.count)
        // libtiff's conversion gives RGB, whose profile does not fit.
        guard page.kind != .converted else { return nil }
        return ICCTransform.toSRGB(from: profile, of: page.kind == .inks ? .inks : ICCSamples(page.format))
    }

    /// Nil for a page in pieces that are too large to be decoded for each part.
    var regions: TIFFRegions? { page.pieceBytes <= TIFFRegions.maximumPieceBytes ? TIFFRegions(self) : nil }

    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        file.reading { _ in structure.metadata(of: page.directory) }
    }
}
