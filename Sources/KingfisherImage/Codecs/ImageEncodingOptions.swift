/// Settings for encoding an image.
public struct ImageEncodingOptions: Hashable, Sendable {
    /// 0...1 for lossy encodings; ignored by other formats.
    public var quality: Double
    /// Whether to encode losslessly, for formats that support both; ignored by other formats.
    public var isLossless: Bool
    /// The metadata of the original to write into the file; nil for none, as by default.
    ///
    /// `Image.encoded(as:options:)` writes EXIF, XMP and IPTC, as far as the format has a place for them, and
    /// throws `unsupported` for a codec that does not write metadata. The orientation becomes upright, sizes
    /// in EXIF become those of the image, and the thumbnail and the profile are omitted: they do not describe
    /// the new pixels. `ImageCodec.encode` ignores this option.
    public var metadata: ImageMetadataBlocks?

    /// Creates options; by default, the best quality of a lossy encoding.
    public init(quality: Double = 1, isLossless: Bool = false, metadata: ImageMetadataBlocks? = nil) {
        self.quality = quality
        self.isLossless = isLossless
        self.metadata = metadata
    }
}
