/// Previews of camera RAW files for Kingfisher: `import KingfisherRAW` also imports `KingfisherCodecSupport`.
@_exported public import KingfisherCodecSupport

extension ImageFormat {
    /// The RAW files of cameras, by their embedded previews.
    public static let raw = ImageFormat(name: "RAW")
}

extension ImageCodec where Self == RAWCodec {
    /// The codec that reads previews of RAW files: `ImageCodecs.register(.raw)`, after `.tiff`.
    public static var raw: RAWCodec { RAWCodec() }
}
