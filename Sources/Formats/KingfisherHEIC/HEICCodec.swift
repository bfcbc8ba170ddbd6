import CHEIF
public import KingfisherCodecSupport

/// HEIC with libheif and libde265 (container: ISO/IEC 23008-12; bitstream: HEVC, ITU-T H.265), reading only.
///
/// Decodes the primary image of a file, single or of tiles, with 8, 10 and 12 bits; the latter two become
/// 16-bit pixels. A file whose main brand says sequence (`hevc`, `msf1`), or without a still image, is an
/// animation of its first track of images, with the alpha of an auxiliary track. An image or alpha in another
/// coding than HEVC is `unsupported`. Applies `clap`, `irot` and `imir` in the order of
/// the file, also to alpha. If an image is derived by these properties alone (`iden`), they are applied after
/// the properties of its source. Ignores the orientation in EXIF, as the format requires. Converts an ICC
/// profile, or else the `nclx` primaries and transfer, to sRGB. Pixels are `.rgba` in 8 or 16 bits, opaque,
/// or with alpha as the file has it.
///
/// A thumbnail within the file is decoded instead of the image if it covers the target, shows what the image
/// shows, turned alike, and has its depth. For other small targets, opaque images are shrunk while they are
/// decoded; of tiles, one is in memory at a time. Where the target is less than a quarter of the image along
/// each side, blocks are not filtered.
///
/// Detection, headers and metadata are read in Swift; libraries are loaded by the first decode or by
/// ``preload()``. Decoding works on the caller's thread, starts none and opens no file.
public struct HEICCodec: ImageCodec {
    /// Creates the codec for `ImageCodecs.register(.heic)`.
    public init() {}

    public var format: ImageFormat { .heic }

    public var fileExtensions: [String] { ["heic", "heif", "heics", "heifs", "hif"] }

    public var capabilities: CodecCapabilities {
        [.decodesSmall, .decodesAnimations, .decodes16Bits, .readsMetadata]
    }

    /// Loads libheif and libde265.
    public var version: String {
        guard let heif = kf_heif()?.pointee, let de265 = kf_de265()?.pointee else {
            return "libheif is missing"
        }
        func text(_ version: UnsafePointer<CChar>?) -> String { version.map { String(cString: $0) } ?? "" }
        return "libheif \(text(heif.heif_get_version())), libde265 \(text(de265.de265_get_version()))"
    }

    /// Loads the libraries, so that later calls open no file; for a process that is about to be confined.
    ///
    /// Throws `unsupported` with the name of the package if one is missing.
    public static func preload() throws(ImageCodecError) {
        _ = try HEICLibrary.functions
    }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        HEICFile.matches(ByteReader(bytes))
    }

    public func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        if let sequence = try HEICSequence(file) { return HEICSequenceDecoder(sequence) }
        return try HEICDecoder(file)
    }
}
