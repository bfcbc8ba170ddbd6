import Foundation

/// One PNG file, whose header and orientation have been read.
struct PNGDecoder: ImageDecoder {
    private let file: EncodedFile
    private let first: PNGFileHeader
    private let orientation: Image.Orientation
    private let isPart: Bool

    /// With `isPart`, the file is the complete part of another.
    init(_ file: EncodedFile, isPart: Bool = false) throws(ImageCodecError) {
        self.file = file
        self.isPart = isPart
        first = try PNGFileHeader(scanning: file.reader)
        try file.limits.check(first.size)
        orientation = PNGMetadata.orientation(in: file.reader)
    }

    var header: ImageHeader {
        var header = ImageHeader(size: first.size)
        header.orientation = orientation
        header.hasAlpha = first.hasAlpha
        header.isLossless = true
        header.bitsPerComponent = first.bitsPerComponent
        return header
    }

    var endsEarly: Bool { isPart || isTruncated }

    private var isTruncated: Bool {
        do throws(ImageCodecError) {
            try file.reading(PNGFileHeader.checkEnd(of:))
            return false
        } catch {
            return error == .truncated
        }
    }

    func memory(for target: DecodingTarget) -> Int {
        let stored = target.stored(orientation)
        let shrink =
            first.isInterlaced ? nil : stored.minimumSize.flatMap { RowShrink(first, minimumSize: $0) }
        // Buffers of the unfiltering; the plan counts samples of 8 bits.
        let rows = 2 * PNGRowPlan(first, group: shrink?.plan.boxHeight ?? 1).byteCount
        if let shrink { return rows + shrink.byteCount(rowsAtOnce: shrink.rowsAtOnce) }
        let pixels = PixelBuffer.byteCount(of: first.size, format: first.pixelFormat)
        // Orientation, or shrinking after decoding, creates a second image.
        return rows + pixels * (orientation == .up && target == .full ? 1 : 2)
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        let stored = target.stored(orientation)
        // Orienting first would move partial pixels away from the far edges, where the filter expects them.
        return try file.reading { reader throws(ImageCodecError) in
            try storedPixels(reader, stored.minimumSize)
        }
        .resized(to: stored).upright(from: orientation).finished()
    }

    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        try file.reading(PNGMetadata.blocks(in:))
    }

    private func storedPixels(
        _ reader: ByteReader, _ minimumSize: PixelSize?
    ) throws(ImageCodecError) -> DecodedPixels {
        try file.limits.check(first.size, format: first.pixelFormat)
        if minimumSize == nil, orientation != .up {
            let bytes = PixelBuffer.byteCount(of: first.size, format: first.pixelFormat)
            try file.limits.check(frameBytes: bytes, beside: bytes)
        }
        let isPart = file.acceptsPartialImages && isTruncated
        if !isPart { try PNGFileHeader.checkEnd(of: reader) }
        var pixels: PixelBuffer
        if let own = try PNGFastPath(first, reader, acceptsPart: isPart)?.decode(minimumSize: minimumSize) {
            pixels = own
        } else if isPart {
            pixels = try Self.decodePartByLibspng(first, reader, minimumSize)
        } else if let repaired = try Self.withoutEmptyEXIF(reader, first) {
            pixels = try file.with(repaired).reading { reader throws(ImageCodecError) in
                try Self.decodeByLibspng(first, reader, minimumSize)
            }
        } else {
            pixels = try Self.decodeByLibspng(first, reader, minimumSize)
        }
        let colors = first.colors(in: reader, of: pixels.format)
        if minimumSize != nil { return DecodedPixels(pixels, colors: colors) }
        try colors?.convert(&pixels)
        return DecodedPixels(pixels)
    }

    /// The file without empty eXIf chunks, which libspng 0.7.3 takes for chunks above its limits; nil if it
    /// has none. An ancillary chunk that is malformed must not cost the image (W3C PNG, 13.1).
    private static func withoutEmptyEXIF(
        _ reader: ByteReader, _ file: PNGFileHeader
    ) throws(ImageCodecError) -> Data? {
        var (data, start) = (Data(), 0)
        var chunks = PNGChunks(reader)
        while let chunk = try? chunks.next(), chunk.type != .IEND, chunk.end <= reader.count {
            guard chunk.type == .eXIf, chunk.length == 0 else { continue }
            let pixels = PixelBuffer.byteCount(of: file.size, format: file.pixelFormat)
            try reader.limits.check(frameBytes: pixels, beside: reader.count)
            data += reader.bytes[start..<chunk.offset]
            start = chunk.end
        }
        return start == 0 ? nil : data + reader.bytes[start...]
    }

    /// Decodes the files that `PNGFastPath` does not handle; also the reference of its tests.
    ///
    /// If `minimumSize` allows it, non-interlaced rows are averaged while they are decoded. `checksums` is
    /// false if the chunks' checksums are known to be correct.
    static func decodeByLibspng(
        _ file: PNGFileHeader, _ reader: ByteReader, _ minimumSize: PixelSize? = nil, checksums: Bool = true,
        acceptsPart: Bool = false
    ) throws(ImageCodecError) -> PixelBuffer {
        let decoder = try SPNGDecoder(reader, checksums: checksums)
        if !file.isInterlaced, let shrink = minimumSize.flatMap({ RowShrink(file, minimumSize: $0) }) {
            let held = shrink.byteCount(rowsAtOnce: shrink.rowsAtOnce)
            try decoder.begin(file, as: file.pixelFormat, beside: held)
            let rows = SPNGRows(decoder, file, rowsAtOnce: shrink.rowsAtOnce, acceptsPart: acceptsPart)
            var isWhole = false
            let pixels = try shrink.image(from: rows, isWhole: &isWhole)
            if !rows.isOver { try decoder.finish(acceptsPart: acceptsPart) }
            return pixels
        }
        return try PixelBuffer.decoding(file.size, format: file.pixelFormat, zeroed: acceptsPart) {
            rows, bytesPerRow throws(ImageCodecError) in
            if acceptsPart, file.pixelFormat.isOpaque { blacken(rows, bytesPerRow: bytesPerRow, file) }
            try decoder.decode(
                file, as: file.pixelFormat, into: rows, bytesPerRow: bytesPerRow, acceptsPart: acceptsPart)
        }
    }
}
