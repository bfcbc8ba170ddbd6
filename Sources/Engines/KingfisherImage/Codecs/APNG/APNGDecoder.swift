/// One animated PNG, whose chunks have been read. Of a file that is accepted although it is truncated, its
/// complete frames.
struct APNGDecoder: AnimationDecoder {
    let file: EncodedFile
    let endsEarly: Bool
    private let index: APNGIndex

    init(_ file: EncodedFile, _ index: APNGIndex, endsEarly: Bool) {
        self.file = file
        self.index = index
        self.endsEarly = endsEarly
    }

    var compositor: APNGCompositor {
        APNGCompositor(
            index, colors: file.reading { index.header.colors(in: $0, of: index.pixelFormat) })
    }

    var header: ImageHeader {
        var header = ImageHeader(size: index.canvas)
        header.orientation = index.orientation
        header.hasAlpha = !index.isOpaque
        header.bitsPerComponent = index.header.bitsPerComponent
        header.isLossless = true
        header.timing = index.timing
        return header
    }

    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        try file.reading(PNGMetadata.blocks(in:))
    }
}
