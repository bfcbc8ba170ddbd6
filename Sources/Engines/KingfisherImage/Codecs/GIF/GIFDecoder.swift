/// One GIF file, whose blocks have been read. Of a truncated file that is accepted, its complete part.
struct GIFDecoder: AnimationDecoder {
    let file: EncodedFile
    let compositor: GIFCompositor
    let endsEarly: Bool

    init(_ file: EncodedFile) throws(ImageCodecError) {
        var (file, endsEarly) = (file, false)
        let index: GIFIndex
        do throws(ImageCodecError) {
            index = try GIFIndex(scanning: file.reader)
        } catch {
            guard error == .truncated, file.acceptsPartialImages, let part = file.reading(GIFPart.file)
            else { throw error }
            (file, endsEarly) = (file.with(part), true)
            index = try GIFIndex(scanning: file.reader)
        }
        (self.file, self.endsEarly) = (file, endsEarly)
        compositor = GIFCompositor(index)
    }

    var header: ImageHeader {
        var header = ImageHeader(size: compositor.canvas)
        header.hasAlpha = !compositor.index.isOpaque
        header.isLossless = true
        header.timing = compositor.timing
        return header
    }

    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        try file.reading(GIFCodec.metadataBlocks(in:))
    }
}
