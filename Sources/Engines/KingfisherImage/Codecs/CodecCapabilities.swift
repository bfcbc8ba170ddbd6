/// What a codec supports besides decoding 8-bit stills, so that serializers and tools need no list of
/// formats.
public struct CodecCapabilities: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Decodes at reduced size in less time or memory than at full size.
    public static let decodesSmall = CodecCapabilities(rawValue: 1 << 0)
    /// Decodes at any size, also larger than the file's (`ImageHeader.scalableSize`).
    public static let decodesAnySize = CodecCapabilities(rawValue: 1 << 15)
    /// Decodes animations.
    public static let decodesAnimations = CodecCapabilities(rawValue: 1 << 1)
    /// Decodes samples of more than 8 bits to 16.
    public static let decodes16Bits = CodecCapabilities(rawValue: 1 << 2)
    /// Encodes stills without colour reduction; palette formats do not.
    public static let encodesStills = CodecCapabilities(rawValue: 1 << 3)
    /// Encodes animations.
    public static let encodesAnimations = CodecCapabilities(rawValue: 1 << 4)
    /// Encodes with a selectable quality.
    public static let encodesLossy = CodecCapabilities(rawValue: 1 << 5)
    /// Encodes every pixel exactly, as far as the format has its alpha and depth.
    public static let encodesLossless = CodecCapabilities(rawValue: 1 << 6)
    /// Encodes transparent pixels.
    public static let encodesAlpha = CodecCapabilities(rawValue: 1 << 7)
    /// Encodes samples of 16 bits.
    public static let encodes16Bits = CodecCapabilities(rawValue: 1 << 8)
    /// Encodes with a palette of selectable size (`ImageEncodingOptions.maximumColors`).
    public static let encodesPalette = CodecCapabilities(rawValue: 1 << 9)
    /// Encodes with selectable chroma subsampling (`ImageEncodingOptions.chroma`).
    public static let encodesChroma = CodecCapabilities(rawValue: 1 << 10)
    /// Encodes progressively (`ImageEncodingOptions.isProgressive`).
    public static let encodesProgressive = CodecCapabilities(rawValue: 1 << 11)
    /// Encodes with selectable effort (`ImageEncodingOptions.effort`).
    public static let encodesEffort = CodecCapabilities(rawValue: 1 << 14)
    /// Reads metadata (`ImageDecoder.metadata()`).
    public static let readsMetadata = CodecCapabilities(rawValue: 1 << 12)
    /// Replaces the metadata of a file (`ImageCodec.replacingMetadata(of:with:)`).
    public static let writesMetadata = CodecCapabilities(rawValue: 1 << 13)
    /// Writes gain maps (`ImageCodec.adding(_:to:)`).
    public static let encodesGainMaps = CodecCapabilities(rawValue: 1 << 17)
    /// Reads files that may contain scripts, which browsers run under the media type of the format.
    public static let readsScripts = CodecCapabilities(rawValue: 1 << 16)
}
