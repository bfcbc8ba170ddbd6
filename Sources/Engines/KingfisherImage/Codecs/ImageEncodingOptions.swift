/// The resolution of chroma in a lossy file.
public enum ChromaSubsampling: String, Hashable, Sendable, CaseIterable {
    /// One sample per pixel (4:4:4).
    case full = "444"
    /// One sample per two pixels of a row (4:2:2).
    case half = "422"
    /// One sample per 2 x 2 pixels (4:2:0).
    case quarter = "420"
}

/// Settings for encoding an image. A codec ignores the settings that its format does not have
/// (`ImageCodec.capabilities`).
public struct ImageEncodingOptions: Hashable, Sendable {
    /// 0...1 for lossy encodings.
    public var quality: Double
    /// Whether to encode losslessly, for formats that support both.
    public var isLossless: Bool
    /// How much time to spend on a smaller file, 0 (fastest) to 10 (smallest); nil lets the codec choose.
    ///
    /// JPEG makes Huffman tables for the image from 5 on; WebP and AVIF scale it to their own levels. PNG,
    /// GIF, BMP and PNM ignore it.
    public var effort: Int?
    /// The resolution of chroma in JPEG and lossy AVIF; nil chooses by quality. WebP always has a quarter.
    public var chroma: ChromaSubsampling?
    /// Whether a JPEG is written in several scans, so that a browser shows it before all its bytes have
    /// arrived.
    public var isProgressive: Bool
    /// The maximum number of colours of a PNG still or of a GIF frame, 2...256; nil for all colours in PNG,
    /// and 256 in GIF.
    ///
    /// An image with more colours is dithered. APNG ignores it.
    public var maximumColors: Int?
    /// The maximum length of the file in bytes, with its metadata; nil for no limit.
    ///
    /// `Image.encoded(as:options:)` encodes at most six times: a lossy format at qualities up to `quality`,
    /// and PNG stills and GIF, if `maximumColors` is set, with palettes up to that. It returns the best file
    /// found within the limit, and throws `tooManyBytes` if there is none. `ImageCodec.encode` ignores this
    /// option.
    public var maximumBytes: Int?
    /// The metadata of the original to write into the file; nil for none, as by default.
    ///
    /// `Image.encoded(as:options:)` writes EXIF, XMP and IPTC, as far as the format has a place for them, and
    /// throws `unsupported` for a codec that does not write metadata. The orientation becomes upright, sizes
    /// in EXIF become the image's size, and the thumbnail and the profile are omitted: they do not describe
    /// the new pixels. `ImageCodec.encode` ignores this option.
    public var metadata: ImageMetadataBlocks?
    /// The gain map to write into the file, in the codec's format; nil for none, as by default.
    ///
    /// `Image.encoded(as:options:)` writes it, and throws `unsupported` for a codec that does not write gain
    /// maps. `ImageCodec.encode` ignores this option.
    public var gainMap: GainMap?

    /// Creates options; by default, the best quality of a lossy encoding.
    public init(
        quality: Double = 1, isLossless: Bool = false, effort: Int? = nil, chroma: ChromaSubsampling? = nil,
        isProgressive: Bool = false, maximumColors: Int? = nil, maximumBytes: Int? = nil,
        metadata: ImageMetadataBlocks? = nil
    ) {
        self.quality = quality
        self.isLossless = isLossless
        self.effort = effort
        self.chroma = chroma
        self.isProgressive = isProgressive
        self.maximumColors = maximumColors
        self.maximumBytes = maximumBytes
        self.metadata = metadata
    }

    /// `effort` within 0...10, scaled to 0...`highest` for a library's own levels; nil without an effort.
    public func effort(upTo highest: Int) -> Int? {
        effort.map { (min(max($0, 0), 10) * highest + 5) / 10 }
    }

    /// `maximumColors` within its range; 256 without one.
    var paletteColors: Int {
        min(max(maximumColors ?? IndexedImage.maximumColors, 2), IndexedImage.maximumColors)
    }
}
