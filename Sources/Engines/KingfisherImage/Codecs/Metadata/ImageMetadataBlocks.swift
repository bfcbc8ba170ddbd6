public import Foundation

/// The metadata blocks of a file as they are stored, without the containers of its format.
///
/// Decoders return them from `ImageDecoder.metadata()`; `ImageMetadata` interprets them, and encoders write
/// them into other files. The bytes are untrusted.
public struct ImageMetadataBlocks: Hashable, Sendable {
    /// The maximum bytes of all blocks together, 4 MiB. `ImageLimits.maximumMetadataBytes` also applies.
    public static let maximumBytes = 4 << 20

    /// EXIF: a TIFF file, with or without the prefix `Exif` and two zeros.
    public var exif: Data?
    /// The XMP packet.
    public var xmp: Data?
    /// The second packet of a JPEG with ExtendedXMP, assembled.
    public var extendedXMP: Data?
    /// IPTC-IIM: data sets of the Photoshop resource 0x0404.
    public var iptc: Data?
    /// The ICC profile. Encoders ignore it: decoded pixels are sRGB.
    public var profile: Data?
    /// The colour space by numbers.
    public var codePoints: ImageMetadata.CodePoints?
    /// The density that the format states outside of EXIF.
    public var density: ImageMetadata.PixelDensity?
    /// The number of channels with alpha; nil for RGB or RGBA according to the header.
    public var channels: Int?
    /// Whether a gain map follows the image.
    public var hasGainMap = false
    /// False if a block was omitted because of a limit, or because a part of it is missing.
    public var isComplete = true

    /// Creates an empty set of blocks.
    public init() {}

    /// The bytes of all blocks.
    public var byteCount: Int {
        [exif, xmp, extendedXMP, iptc, profile].reduce(0) { $0 + ($1?.count ?? 0) }
    }

    /// The bytes that can still be added.
    public var room: Int { max(0, min(Self.maximumBytes, ImageLimits.maximumMetadataBytes) - byteCount) }

    /// Stores a copy of `block`, if there is none yet. One that exceeds `room` is omitted, and `isComplete`
    /// becomes false.
    public mutating func keep(_ block: ByteReader, as field: WritableKeyPath<ImageMetadataBlocks, Data?>) {
        guard self[keyPath: field] == nil, block.count > 0 else { return }
        guard block.count <= room else { return isComplete = false }
        self[keyPath: field] = Data(block.bytes)
    }
}
