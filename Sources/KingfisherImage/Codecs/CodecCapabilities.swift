/// What a codec can do beside decoding stills of 8 bits. Serializers and tools ask for it, so that they need
/// no list of formats.
public struct CodecCapabilities: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    /// Makes a set of single bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Decodes to fewer pixels in less time or memory than to all of them.
    public static let decodesSmall = CodecCapabilities(rawValue: 1 << 0)
    /// Reads animations.
    public static let decodesAnimations = CodecCapabilities(rawValue: 1 << 1)
    /// Decodes samples of more than 8 bits to 16.
    public static let decodes16Bits = CodecCapabilities(rawValue: 1 << 2)
    /// Writes stills of any colours; formats with a palette do not.
    public static let encodesStills = CodecCapabilities(rawValue: 1 << 3)
    /// Writes animations.
    public static let encodesAnimations = CodecCapabilities(rawValue: 1 << 4)
    /// Writes with a quality that can be chosen.
    public static let encodesLossy = CodecCapabilities(rawValue: 1 << 5)
    /// Writes every pixel as it is, as far as its alpha and depth can be written.
    public static let encodesLossless = CodecCapabilities(rawValue: 1 << 6)
    /// Writes transparent pixels.
    public static let encodesAlpha = CodecCapabilities(rawValue: 1 << 7)
    /// Writes samples of 16 bits.
    public static let encodes16Bits = CodecCapabilities(rawValue: 1 << 8)
}
