public import KingfisherCodecSupport

extension ImageFormat {
    /// AVIF, a still or a sequence.
    public static let avif = ImageFormat(name: "AVIF")
}

extension ImageCodec where Self == AVIFCodec {
    /// The codec that reads and writes AVIF: `ImageCodecs.register(.avif)`.
    public static var avif: AVIFCodec { AVIFCodec() }
}
