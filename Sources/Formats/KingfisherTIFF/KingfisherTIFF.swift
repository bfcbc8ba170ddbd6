public import KingfisherCodecSupport

extension ImageFormat {
    /// TIFF, one page of a file.
    public static let tiff = ImageFormat(name: "TIFF")
}

extension ImageCodec where Self == TIFFCodec {
    /// The codec that reads the first page of TIFF files: `ImageCodecs.register(.tiff)`.
    public static var tiff: TIFFCodec { TIFFCodec() }
}
