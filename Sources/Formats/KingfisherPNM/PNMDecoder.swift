import KingfisherCodecSupport

/// One PNM file, whose header has been read.
struct PNMDecoder: ImageDecoder {
    private let file: EncodedFile
    private let first: PNMHeader

    init(_ file: EncodedFile) throws(ImageCodecError) {
        self.file = file
        first = try file.reading(PNMHeader.init)
    }

    var header: ImageHeader {
        var header = ImageHeader(size: first.size)
        header.hasAlpha = first.hasAlpha
        header.isLossless = true
        header.bitsPerComponent = first.maximum == 1 ? 1 : first.bytesPerSample * 8
        return header
    }

    /// Text may be truncated although it is long enough.
    var endsEarly: Bool {
        // The white space behind the last number may be missing.
        let missing = first.raster == .text(isBits: false) ? 1 : 0
        return file.data.count - first.start < first.rowBytes * first.size.height - missing
    }

    func memory(for target: DecodingTarget) -> Int {
        let bytes = PixelBuffer.memoryOfRows(
            first.size, format: first.format, minimumSize: target.minimumSize)
        // Resampling makes a second image, which is at most as large.
        return target == .full ? bytes : 2 * bytes
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        let isBinary = first.raster == .bits || first.raster == .samples
        guard file.acceptsPartialImages && isBinary || !endsEarly else { throw .truncated }
        return try file.reading { reader throws(ImageCodecError) in
            var rows = PNMRows(first, in: reader, acceptsPart: file.acceptsPartialImages)
            return try PixelBuffer.decodingRows(
                first.size, format: first.format, minimumSize: target.minimumSize
            ) { wanted, target, bytesPerRow throws(ImageCodecError) in
                try rows.read(wanted, into: target, bytesPerRow)
            }
        }
        .resized(to: target)
    }
}
