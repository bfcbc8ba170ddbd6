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
public struct PNMCodec: ImageCodec {
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

    public func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        try PNMDecoder(file)
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
