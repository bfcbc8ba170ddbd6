public import KingfisherCodecSupport

/// JPEG XL with libjxl (ISO/IEC 18181), in a container or as a bare codestream.
///
/// Decodes stills and animations, whose layers libjxl composes. Samples of more than 8 bits, also floating
/// point, become 16 bits in 0...1. Greyscale stays greyscale, other pixels are `.rgba`, opaque or with
/// straight alpha; premultiplied files are divided. The orientation of the codestream is applied and the EXIF
/// orientation is ignored, as the format requires. An ICC profile or an encoded colour space is converted to
/// sRGB; PQ and HLG are tone-mapped. If a smaller image is enough, rows are averaged while they are decoded,
/// and straight alpha becomes premultiplied. CMYK is `unsupported`. The decoder works on the caller's thread.
public struct JPEGXLCodec: ImageCodec {
    /// Creates the codec for `ImageCodecs.register(.jpegXL)`.
    public init() {}

    public var format: ImageFormat { .jpegXL }

    public var capabilities: CodecCapabilities {
        [
            .decodesSmall, .decodesAnimations, .decodes16Bits, .encodesStills, .encodesAnimations,
            .encodesLossy,
            .encodesLossless, .encodesAlpha, .encodes16Bits, .encodesEffort, .readsMetadata,
        ]
    }

    /// Loads libjxl.
    public var version: String { JPEGXLLibrary.version }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        LibJXLDecoder.matches(ByteReader(bytes))
    }

    public func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        try JPEGXLDecoder(file)
    }
}
