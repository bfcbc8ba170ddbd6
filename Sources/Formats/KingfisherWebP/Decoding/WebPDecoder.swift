import KingfisherCodecSupport

/// One WebP file, whose structure has been read; of a truncated animation, its complete frames.
struct WebPDecoder: ImageDecoder {
    let header: ImageHeader
    let endsEarly: Bool
    private let file: EncodedFile
    private let structure: WebPFile

    init(_ file: EncodedFile, endsEarly: Bool = false) throws(ImageCodecError) {
        self.file = file
        self.endsEarly = endsEarly
        structure = try file.reading(WebPFile.init(scanning:))
        header = structure.header
    }

    func memory(for target: DecodingTarget) -> Int { header.memoryOfWebP(for: target) }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        let pixels = try file.reading { reader throws(ImageCodecError) in
            try storedPixels(reader, target.stored(header.orientation).minimumSize)
        }
        return try DecodedPixels(pixels, colors: colors).upright(from: header.orientation)
            .resized(to: target).finished()
    }

    private func storedPixels(
        _ reader: ByteReader, _ minimumSize: PixelSize?
    ) throws(ImageCodecError) -> PixelBuffer {
        guard let first = structure.frames.first, first.fills(structure.canvas) else {
            return try WebPCompositor(structure, colors: nil).compose(0, of: reader, over: nil)
        }
        let size = structure.canvas.shrunk(toCover: minimumSize)
        let bitstream = try WebPBitstream(first, of: reader)
        return try PixelBuffer.decoding(size, format: structure.format) {
            rows, bytesPerRow throws(ImageCodecError) in
            try bitstream.decode(to: size, into: rows, bytesPerRow: bytesPerRow)
        }
    }

    func frames() throws(ImageCodecError) -> (any ImageFrameSource)? {
        guard let source else { return nil }
        try source.checkPixels()
        // The first frame is shown immediately, so its errors belong here; the source caches it.
        _ = try source.composedFrame(at: 0)
        return source
    }

    /// The frames of an animation, even if it has only one; nil for a still.
    var source: ComposedFrameSource<WebPCompositor>? {
        guard structure.isAnimated else { return nil }
        return ComposedFrameSource(file, WebPCompositor(structure, colors: colors))
    }

    private var colors: ICCTransform? {
        file.reading { structure.profile?.reader(in: $0).flatMap { ICCTransform.toSRGB(from: $0) } }
    }

    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        try file.reading(RIFFWalk.metadata(in:))
    }
}

extension ImageHeader {
    /// What libwebp and resampling to `target` take.
    func memoryOfWebP(for target: DecodingTarget) -> Int {
        guard frameCount == 1 else { return 3 * 4 * size.area }
        guard let minimum = target.minimumSize, !isLossless else { return 2 * 4 * size.area }
        // Lossy images are scaled row by row while they are decoded; alpha is not.
        let small = 4 * min(minimum.area, size.area)
        return small + (hasAlpha ? size.area : 0) + Self.lossyWorkBytes
    }

    /// The working memory of libwebp for a lossy image of the maximum width, 16,383 pixels (decision 046: 3
    /// MB).
    private static var lossyWorkBytes: Int { 4 << 20 }
}
