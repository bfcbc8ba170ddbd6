public import KingfisherCodecSupport

extension ImageFormat {
    /// JPEG XL, a still or an animation.
    public static let jpegXL = ImageFormat(name: "JXL")
}

extension ImageCodec where Self == JPEGXLCodec {
    /// The codec that reads and writes JPEG XL: `ImageCodecs.register(.jpegXL)`.
    public static var jpegXL: JPEGXLCodec { JPEGXLCodec() }
}
