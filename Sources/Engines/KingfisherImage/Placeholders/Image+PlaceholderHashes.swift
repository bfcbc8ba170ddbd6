extension KingfisherWrapper where Base == Image {
    /// The BlurHash of the image (an animation's first frame) with `components` along width and height; nil
    /// for an empty image. See `BlurHash.init(of:components:)`.
    public func blurHash(components: (x: Int, y: Int) = (4, 3)) -> BlurHash? {
        try? BlurHash(of: base, components: components)
    }

    /// The ThumbHash of the image (an animation's first frame); nil for an empty image. See
    /// `ThumbHash.init(of:)`.
    public func thumbHash() -> ThumbHash? {
        try? ThumbHash(of: base)
    }
}
