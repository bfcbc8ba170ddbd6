/// Settings for encoding an image.
public struct ImageEncodingOptions: Hashable, Sendable {
    /// 0...1 for lossy encodings; ignored by other formats.
    public var quality: Double
    /// Whether to encode losslessly, for formats that support both; ignored by other formats.
    public var isLossless: Bool

    /// Creates options; by default, the best quality of a lossy encoding.
    public init(quality: Double = 1, isLossless: Bool = false) {
        self.quality = quality
        self.isLossless = isLossless
    }
}
