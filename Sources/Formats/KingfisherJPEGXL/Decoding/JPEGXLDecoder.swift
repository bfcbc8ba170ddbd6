import KingfisherCodecSupport

/// One JPEG XL file, whose frame headers have been read.
struct JPEGXLDecoder: ImageDecoder {
    private let file: EncodedFile
    private let info: JPEGXLInfo

    init(_ file: EncodedFile) throws(ImageCodecError) {
        self.file = file
        info = try JPEGXLInfo(file)
    }

    var header: ImageHeader { info.header }

    /// Decodes the file, because a codestream does not state its length.
    var endsEarly: Bool {
        do throws(ImageCodecError) {
            try info.check()
            guard info.isComplete else { return true }
            return try !JPEGXLFrames(file, info).isWhole()
        } catch {
            return error == .truncated
        }
    }

    /// The most that libjxl takes for a file of this kind: it depends on what the frame contains.
    func memory(for target: DecodingTarget) -> Int {
        let pixels = PixelBuffer.memoryOfRows(
            header.size, format: info.format, minimumSize: target.minimumSize)
        let (sum, overflow) = info.workingMemory.addingReportingOverflow(2 * min(pixels, .max / 2))
        return overflow ? .max : sum
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        try info.check()
        let pixels: DecodedPixels
        do throws(ImageCodecError) {
            pixels = try JPEGXLFrames(file, info).decodeNext(minimumSize: target.minimumSize)
        } catch {
            guard file.acceptsPartialImages, error == .truncated else { throw error }
            pixels = try JPEGXLFrames(file, info).decodeNext(minimumSize: nil, acceptsPart: true)
        }
        return try pixels.resized(to: target).finished()
    }

    func frames() throws(ImageCodecError) -> (any ImageFrameSource)? {
        guard let timing = header.timing else { return nil }
        try file.limits.check(frames: timing.durations.count, of: header.size)
        let source = SequentialFrameSource<JPEGXLFrames>(
            file.data, size: header.displaySize, timing: timing
        ) { [file, info] () throws(ImageCodecError) in try JPEGXLFrames(file, info) }
        do throws(ImageCodecError) {
            // The first frame is shown immediately, so its errors belong here.
            _ = try source.decodedFrame(at: 0)
        } catch {
            guard file.acceptsPartialImages, error == .truncated else { throw error }
            return nil
        }
        return source
    }

    /// EXIF and XMP, also compressed ones, and the ICC profile or its numbers; reads up to the end of the
    /// file, skipping pixels.
    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        try file.reading { reader throws(ImageCodecError) in try JPEGXLMetadata(reader).blocks() }
    }
}
