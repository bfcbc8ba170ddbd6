public import KingfisherCodecSupport

/// The previews of camera RAW files: CR2, CR3, NEF, ARW, DNG, RAF, ORF and RW2, reading only.
///
/// The sensor's data are not decoded: nothing is demosaiced. The image is the embedded JPEG with the most
/// pixels, which most cameras write in full size; some files have a small one only. Previews that are
/// malformed, lossless or of more than 8 bits are passed over. A file without any preview is `unsupported`,
/// and one that ends within a preview, or before it, is `truncated`.
///
/// A file is recognized by what only RAW files have: the signature of its kind; `DNGVersion`; or, for NEF and
/// ARW, the maker's name and a sub-directory with samples of a colour filter. Other files with the name of a
/// camera are TIFF. Many RAW files also are valid TIFF files: register this codec after the codec for TIFF,
/// which otherwise gets them.
///
/// The orientation of the RAW file is applied, or without one the orientation of the preview. If a smaller
/// image is enough, the JPEG is decoded at reduced size. The structure is read in Swift; the JPEG is decoded
/// as every other JPEG.
public struct RAWCodec: ImageCodec {
    /// Creates the codec for `ImageCodecs.register(.raw)`.
    public init() {}

    public var format: ImageFormat { .raw }

    public var fileExtensions: [String] { ["dng", "cr2", "cr3", "nef", "arw", "raf", "orf", "rw2"] }

    /// The type of which shared-mime-info derives the types of all kinds, such as `image/x-canon-cr2`.
    public var mediaType: String { "image/x-dcraw" }

    /// False: most of the file are the sensor's data.
    public var keepsFileBytes: Bool { false }

    public var capabilities: CodecCapabilities { [.decodesSmall, .readsMetadata] }

    public var version: String { "Kingfisher" }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        RAWContainer(ByteReader(bytes)) != nil
    }

    public func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        try RAWDecoder(file)
    }
}
