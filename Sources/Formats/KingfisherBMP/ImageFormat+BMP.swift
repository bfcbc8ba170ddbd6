public import KingfisherCodecSupport

extension ImageFormat {
    /// Windows and OS/2 bitmaps.
    public static let bmp = ImageFormat(name: "BMP")
    /// Windows icons and cursors.
    public static let ico = ImageFormat(name: "ICO")
}

extension ImageCodec where Self == BMPCodec {
    /// The codec that reads and writes BMP: `ImageCodecs.register(.bmp)`.
    public static var bmp: BMPCodec { BMPCodec() }
}

extension ImageCodec where Self == ICOCodec {
    /// The codec that reads icons and cursors: `ImageCodecs.register(.ico)`.
    public static var ico: ICOCodec { ICOCodec() }
}
