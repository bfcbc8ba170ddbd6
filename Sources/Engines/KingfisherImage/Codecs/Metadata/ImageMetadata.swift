public import Foundation

/// What an image file says about itself besides its pixels: camera, place, dates, texts and colour space.
///
/// Read with `ImageMetadata(of:)` or `data.kf.imageMetadata`; no pixels are decoded. Every value comes from
/// an untrusted file. Malformed values are nil, and values in impossible ranges (a latitude of 100 degrees,
/// month 13) as well.
///
/// Memory: the file's blocks have at most `ImageMetadataBlocks.maximumBytes` bytes in total; each text has at
/// most `maximumTextBytes` bytes, and there are at most `maximumKeywords` keywords and bylines. `isComplete`
/// is false if a block was omitted for that reason.
public struct ImageMetadata: Hashable, Sendable {
    /// The maximum bytes of one text in the file; the rest is omitted.
    public static let maximumTextBytes = 4_096
    /// The maximum number of IPTC keywords, and of bylines.
    public static let maximumKeywords = 1_000

    /// The file's format.
    public internal(set) var format: ImageFormat
    /// The stored size in pixels, before `orientation` is applied.
    public internal(set) var pixelSize: PixelSize
    /// The number of frames; 1 for stills.
    public internal(set) var frameCount: Int
    /// Bits per sample in the file; 8 for the entries of a palette.
    public internal(set) var bitsPerComponent: Int
    /// The number of channels with alpha: 1 for grey, 3 for RGB and palettes, 4 for CMYK and RGBA.
    public internal(set) var channels: Int
    /// Whether the file can hold transparent pixels.
    public internal(set) var hasAlpha: Bool
    /// The orientation of the stored pixels, which decoding applies.
    public internal(set) var orientation: Image.Orientation
    /// The intended density; nil if the file states none with a unit.
    public internal(set) var pixelDensity: PixelDensity?
    /// The description of the ICC profile (its `desc` tag, in English if there is a choice); nil if decoding
    /// uses another statement about the colours, such as PNG's cICP chunk.
    public internal(set) var colorProfileName: String?
    /// The colour space by numbers, from PNG's cICP chunk or AVIF's `nclx`, if decoding uses it, or from the
    /// profile's `cicp` tag.
    public internal(set) var codePoints: CodePoints?
    /// Whether a gain map for high dynamic range follows the image (ISO 21496-1, or the XMP of Adobe or Apple
    /// for it). Decoding shows the base image, without the gain map.
    public internal(set) var hasGainMap: Bool
    /// The fields of EXIF (CIPA DC-008); nil without a readable EXIF block.
    public internal(set) var exif: EXIFFields?
    /// Where and when the image was taken, from EXIF; nil without any such value.
    public internal(set) var location: Location?
    /// The fields of IPTC-IIM; nil without any.
    public internal(set) var iptc: IPTCFields?
    /// The XMP packet (ISO 16684-1), usually UTF-8, as stored.
    public internal(set) var xmp: Data?
    /// The second packet of a JPEG with more than 64 KiB of XMP ("ExtendedXMP"), assembled.
    public internal(set) var extendedXMP: Data?
    /// False if the file has metadata that was omitted because of a limit, or because a part is missing.
    public internal(set) var isComplete: Bool

    /// Whether the samples have a transfer function of high dynamic range: PQ or HLG (ITU-R BT.2100).
    public var isHDR: Bool { codePoints?.isHDR ?? false }
}

extension ImageMetadata {
    /// The metadata of a file of a registered format, read on the caller's thread.
    ///
    /// Throws `unknownFormat`, or the error of a header that is malformed or above `ImageLimits`. Malformed
    /// metadata is not an error.
    public init(of data: Data) throws(ImageCodecError) {
        try self.init(ImageCodecs.open(data))
    }

    /// The metadata of a file of the codec's format, as `init(of:)`; the codec may be unregistered.
    public init(of data: Data, using codec: any ImageCodec) throws(ImageCodecError) {
        try self.init(OpenedFile(data, by: codec))
    }

    private init(_ file: OpenedFile) throws(ImageCodecError) {
        self.init(format: file.codec.format, header: file.header, blocks: try file.decoder.metadata())
    }

    init(format: ImageFormat, header: ImageHeader, blocks: ImageMetadataBlocks) {
        self.format = format
        pixelSize = header.size
        frameCount = header.frameCount
        bitsPerComponent = header.bitsPerComponent
        channels = blocks.channels ?? (header.hasAlpha ? 4 : 3)
        hasAlpha = header.hasAlpha
        orientation = header.orientation
        let exif = blocks.exif?.withUnsafeBytes { EXIFReader(ByteReader($0)) }
        self.exif = exif?.fields
        location = exif?.location
        pixelDensity = exif?.density ?? blocks.density
        let profile = blocks.profile?.withUnsafeBytes { ICCDescription(ByteReader($0)) }
        colorProfileName = profile?.name
        codePoints = blocks.codePoints ?? profile?.codePoints
        iptc = blocks.iptc?.withUnsafeBytes { IPTCReader.fields(in: ByteReader($0)) }
        xmp = blocks.xmp
        extendedXMP = blocks.extendedXMP
        hasGainMap = blocks.hasGainMap
        isComplete = blocks.isComplete
    }
}

extension KingfisherWrapper where Base == Data {
    /// The metadata of the file; nil if no codec recognizes the bytes or the header is malformed.
    ///
    /// Works on the caller's thread and decodes no pixels. `ImageMetadata(of:)` throws the reason instead.
    public var imageMetadata: ImageMetadata? { try? ImageMetadata(of: base) }
}
