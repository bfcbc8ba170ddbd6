public import KingfisherCodecSupport

extension ImageFormat {
    /// WebP, still or animated, lossy or lossless.
    public static let webP = ImageFormat(name: "WEBP")
}
