import CSPNG
package import Foundation

/// PNG: every colour type and depth, Adam7, tRNS, oriented by its metadata. Files with 8-bit samples and
/// without interlacing use `PNGFastPath`, the others libspng.
///
/// RGB and palettes become 8-bit RGBA, opaque or with straight alpha. Greyscale stays greyscale, with 1, 2
/// and 4 bits expanded to 8; 16 bits stay 16, in native byte order. A wrong checksum is `corrupt`, a file
/// without an IEND chunk is `truncated`.
///
/// If a smaller image is enough, non-interlaced rows are averaged while they are decoded, and straight alpha
/// becomes premultiplied. Colours become sRGB, as `PNGColors` says.
package struct PNGCodec: DeferredColorCodec {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    package init() {}

    package var format: ImageFormat { .PNG }
    package var keepsFileBytes: Bool { false }
    package var capabilities: CodecCapabilities {
        [
            .decodesSmall, .decodes16Bits, .encodesStills, .encodesLossless, .encodesAlpha, .encodes16Bits,
            .encodesPalette, .readsMetadata, .writesMetadata,
        ]
    }
    package var version: String { "libspng \(String(cString: spng_version_string()))" }

    package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: Self.signature)
    }

    package func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        try data.reading { reader throws(ImageCodecError) in
            let file = try PNGFileHeader(scanning: reader)
            try ImageLimits.check(file.size)
            var header = ImageHeader(size: file.size)
            header.orientation = PNGMetadata.orientation(in: reader)
            header.hasAlpha = file.hasAlpha
            header.isLossless = true
            header.bitsPerComponent = file.bitsPerComponent
            return header
        }
    }

    package func endsEarly(_ data: Data) -> Bool {
        (try? data.reading { Self.endsEarly($0) }) ?? false
    }

    static func endsEarly(_ reader: ByteReader) -> Bool {
        do throws(ImageCodecError) {
            try PNGFileHeader.checkEnd(of: reader)
            return false
        } catch {
            return error == .truncated
        }
    }

    package func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try data.reading { reader throws(ImageCodecError) in
            let orientation = PNGMetadata.orientation(in: reader)
            let stored = orientation.swapsSides ? minimumSize?.swapped : minimumSize
            return try storedPixels(reader, stored, orientation, acceptsPart: acceptsPartialImages)
                .upright(from: orientation)
        }
    }

    package func decodePixels(
        of data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try data.reading { reader throws(ImageCodecError) in
            let orientation = PNGMetadata.orientation(in: reader)
            let stored = orientation.swapsSides ? target.swapped : target
            // Orienting first would move partial pixels away from the far edges, where the filter expects
            // them.
            return try storedPixels(reader, stored.doubled, orientation, acceptsPart: acceptsPartialImages)
                .resized(to: stored).upright(from: orientation)
        }
    }

    private func storedPixels(
        _ reader: ByteReader, _ minimumSize: PixelSize?, _ orientation: Image.Orientation, acceptsPart: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        let file = try PNGFileHeader(scanning: reader)
        try ImageLimits.check(file.size, format: file.pixelFormat)
        if minimumSize == nil, orientation != .up {
            let bytes = PixelBuffer.byteCount(of: file.size, format: file.pixelFormat)
            try ImageLimits.check(frameBytes: bytes, beside: bytes)
        }
        let isPart = acceptsPart && Self.endsEarly(reader)
        if !isPart { try PNGFileHeader.checkEnd(of: reader) }
        var pixels: PixelBuffer
        if let own = try PNGFastPath(file, reader, acceptsPart: isPart)?.decode(minimumSize: minimumSize) {
            pixels = own
        } else if isPart {
            pixels = try Self.decodePartByLibspng(file, reader, minimumSize)
        } else if let repaired = try Self.withoutEmptyEXIF(reader, file) {
            pixels = try repaired.reading { reader throws(ImageCodecError) in
                try Self.decodeByLibspng(file, reader, minimumSize)
            }
        } else {
            pixels = try Self.decodeByLibspng(file, reader, minimumSize)
        }
        let colors = file.colors(in: reader, of: pixels.format)
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
            try ImageLimits.check(frameBytes: pixels, beside: reader.count)
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

    package func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        guard options.maximumColors != nil else { return try PNGEncoder.encode(pixels) }
        return try PNGPaletteEncoder.encode(pixels, colors: options.paletteColors)
    }
}
