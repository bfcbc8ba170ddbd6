public import Foundation
public import KingfisherCodecSupport

/// PNM, in Swift: PBM, PGM and PPM as text (P1 to P3) and binary (P4 to P6), and PAM (P7).
///
/// Reads the tuple types BLACKANDWHITE, GRAYSCALE and RGB, each with and without alpha, which is straight; a
/// PAM without a type is read by its depth. Greyscale stays greyscale, RGB becomes RGBA. A maximum up to 255
/// gives 8 bits a sample, a greater one 16; samples are scaled to the full range and rounded to the nearest.
/// Colours are taken as sRGB, as most programs write them, although the specification says ITU-R BT.709.
///
/// A file may have several images, of which the first is read. If a smaller image is enough, rows are
/// averaged while they are decoded, and straight alpha becomes premultiplied. Binary files may be decoded in
/// part.
public struct PNMCodec: ImageCodec, DeferredColorCodec {
    /// Creates the codec for `ImageCodecs.register(.pnm)`.
    public init() {}

    public var format: ImageFormat { .pnm }
    public var fileExtensions: [String] { ["pnm", "ppm", "pgm", "pbm", "pam"] }
    public var mediaType: String { "image/x-portable-anymap" }

    public var version: String { "Kingfisher" }

    public var capabilities: CodecCapabilities {
        [.decodesSmall, .decodes16Bits, .encodesStills, .encodesLossless, .encodesAlpha, .encodes16Bits]
    }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count > 2 && PNMHeader.kind(ByteReader(bytes)) != nil
    }

    public func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        let file = try data.reading(PNMHeader.init)
        var header = ImageHeader(size: file.size)
        header.hasAlpha = file.hasAlpha
        header.isLossless = true
        header.bitsPerComponent = file.maximum == 1 ? 1 : file.bytesPerSample * 8
        return header
    }

    public func endsEarly(_ data: Data) -> Bool {
        (try? data.reading { reader throws(ImageCodecError) in
            let header = try PNMHeader(reader)
            return header.endsEarly(reader)
        }) ?? false
    }

    public func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        let header = try data.reading(PNMHeader.init)
        let bytes = PixelBuffer.memoryOfRows(
            header.size, format: header.format, minimumSize: target?.doubled)
        // Resampling makes a second image, which is at most as large.
        return target == nil ? bytes : 2 * bytes
    }

    public func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try data.reading { reader throws(ImageCodecError) in
            let header = try PNMHeader(reader)
            let isBinary = header.raster == .bits || header.raster == .samples
            guard acceptsPartialImages && isBinary || !header.endsEarly(reader) else { throw .truncated }
            var rows = PNMRows(header, in: reader, acceptsPart: acceptsPartialImages)
            let pixels = try PixelBuffer.decodingRows(
                header.size, format: header.format, minimumSize: minimumSize
            ) { wanted, target, bytesPerRow throws(ImageCodecError) in
                try rows.read(wanted, into: target, bytesPerRow)
            }
            return DecodedPixels(pixels)
        }
    }

    /// Encodes PGM or PPM, or with alpha PAM, with 8 or 16 bits as the pixels have.
    ///
    /// Equal pixels give equal bytes; the options have no effect. Premultiplied alpha becomes straight.
    public func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        try PNMEncoder.encode(pixels)
    }
}
