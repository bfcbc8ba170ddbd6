public import KingfisherCodecSupport

extension ImageFormat {
    /// The formats of Netpbm: PBM, PGM, PPM and PAM.
    public static let pnm = ImageFormat(name: "PNM")
}

extension ImageCodec where Self == PNMCodec {
    /// The codec that reads and writes PNM: `ImageCodecs.register(.pnm)`.
    public static var pnm: PNMCodec { PNMCodec() }
}
