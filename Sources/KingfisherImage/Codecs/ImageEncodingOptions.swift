/// How an image becomes a file.
public struct ImageEncodingOptions: Hashable, Sendable {
    /// 0...1, for lossy encodings; formats without them ignore it.
    public var quality: Double
    /// Whether no pixel may change, for formats that can be written either way; the others ignore it.
    public var isLossless: Bool

    /// The best quality of a lossy encoding, unless said otherwise.
    public init(quality: Double = 1, isLossless: Bool = false) {
        self.quality = quality
        self.isLossless = isLossless
    }
}
