public import KingfisherImage

/// A placeholder made from a BlurHash: its average colour at once, then a blurred version of the image.
///
///     imageView.kf.setImage(with: url, placeholder: .blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
///
/// The hash is decoded in the background and stretched over the image view, because it does not contain the
/// aspect ratio. It fills the view in a subview, below the other subviews. A value can be the placeholder of
/// any number of views. Not part of the original library.
public struct BlurHashPlaceholder: Placeholder, Sendable {
    /// Nil for a malformed hash.
    let content: HashContent?

    /// Creates a placeholder that shows `hash`; a greater `punch` gives more contrast.
    public nonisolated init(_ hash: BlurHash, punch: Double = 1) {
        content = HashContent(hash, punch: punch)
    }

    /// Creates a placeholder from the text of a BlurHash. If it is malformed, nothing is shown.
    public nonisolated init(_ text: String, punch: Double = 1) {
        content = (try? BlurHash(text)).map { HashContent($0, punch: punch) }
    }

    /// Shows the average colour in `imageView`, and starts decoding the hash.
    public func add(to imageView: KFCrossPlatformImageView) { content?.add(to: imageView) }

    /// Removes the placeholder from `imageView`, and cancels decoding.
    public func remove(from imageView: KFCrossPlatformImageView) { content?.remove(from: imageView) }
}

/// A placeholder made from a ThumbHash: its average colour at once, then a blurred version of the image.
///
///     imageView.kf.setImage(with: url, placeholder: .thumbHash("1QcSHQRnh493V4dIh4eXh1h4kJUI"))
///
/// The hash is decoded in the background. With its aspect ratio it covers the image view in a subview, below
/// the other subviews. A value can be the placeholder of any number of views. Not part of the original
/// library.
public struct ThumbHashPlaceholder: Placeholder, Sendable {
    /// Nil for a malformed hash.
    let content: HashContent?

    /// Creates a placeholder that shows `hash`.
    public nonisolated init(_ hash: ThumbHash) {
        content = HashContent(hash)
    }

    /// Creates a placeholder from a ThumbHash in Base64. If it is malformed, nothing is shown.
    public nonisolated init(base64 text: String) {
        content = (try? ThumbHash(base64: text)).map { HashContent($0) }
    }

    /// Shows the average colour in `imageView`, and starts decoding the hash.
    public func add(to imageView: KFCrossPlatformImageView) { content?.add(to: imageView) }

    /// Removes the placeholder from `imageView`, and cancels decoding.
    public func remove(from imageView: KFCrossPlatformImageView) { content?.remove(from: imageView) }
}

extension Placeholder where Self == BlurHashPlaceholder {
    /// The text of a BlurHash; if it is malformed, nothing is shown. A greater `punch` gives more contrast.
    public nonisolated static func blurHash(_ text: String, punch: Double = 1) -> Self {
        BlurHashPlaceholder(text, punch: punch)
    }

    /// A BlurHash; a greater `punch` gives more contrast.
    public nonisolated static func blurHash(_ hash: BlurHash, punch: Double = 1) -> Self {
        BlurHashPlaceholder(hash, punch: punch)
    }
}

extension Placeholder where Self == ThumbHashPlaceholder {
    /// A ThumbHash in Base64; if it is malformed, nothing is shown.
    public nonisolated static func thumbHash(_ base64: String) -> Self {
        ThumbHashPlaceholder(base64: base64)
    }

    /// A ThumbHash.
    public nonisolated static func thumbHash(_ hash: ThumbHash) -> Self {
        ThumbHashPlaceholder(hash)
    }
}
