public import KingfisherCodecSupport

extension ImageFormat {
    /// HEIC, HEVC images in the container HEIF.
    public static let heic = ImageFormat(name: "HEIC")
}

extension ImageCodec where Self == HEICCodec {
    /// The codec that reads HEIC: `ImageCodecs.register(.heic)`.
    public static var heic: HEICCodec { HEICCodec() }
}
