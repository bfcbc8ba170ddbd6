import CAVIF
public import KingfisherCodecSupport

/// AVIF with libavif (container: ISO/IEC 23000-22; bitstream: AV1).
///
/// Decodes stills, grids and sequences of 8, 10 and 12 bits; the latter two become 16-bit pixels. Applies
/// `clap`, `irot` and `imir`, and ignores the orientation in EXIF, as the format requires. Converts an ICC
/// profile, or else the `nclx` primaries and transfer, to sRGB. Pixels are `.rgba` in 8 or 16 bits, opaque or
/// with straight alpha; premultiplied files are divided.
///
/// The decoder works on the caller's thread, and on a second one for a large still while a core is idle
/// (`DecodingContext.usesIdleCores`). Stills for targets of at most a quarter of each side are decoded
/// without AV1's filters at the end.
public struct AVIFCodec: ImageCodec {
    /// Creates the codec for `ImageCodecs.register(.avif)`.
    public init() {}

    public var format: ImageFormat { .avif }

    public var fileExtensions: [String] { ["avif", "avifs"] }

    public var capabilities: CodecCapabilities {
        [
            .decodesSmall, .decodesAnimations, .decodes16Bits, .encodesStills, .encodesAnimations,
            .encodesLossy, .encodesLossless, .encodesAlpha, .encodes16Bits, .encodesChroma,
            .encodesEffort, .readsMetadata, .encodesGainMaps,
        ]
    }

    /// Loads libavif and dav1d.
    public var version: String {
        _ = kf_dav1d()
        let version = kf_avif()?.pointee.avifVersion()
        return "libavif \(version.map { String(cString: $0) } ?? "is missing")"
    }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        ISOFile.isAVIF(ByteReader(bytes))
    }

    public func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        try AVIFDecoder(file)
    }
}
