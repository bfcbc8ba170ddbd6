import KingfisherImage

/// Which formats are decoded in separate processes.
public enum IsolationPolicy: Hashable, Sendable {
    /// Formats whose libraries have a history of vulnerabilities: HEIC, SVG and TIFF.
    case untrustedFormats
    /// All formats of this package. Codecs of other packages stay in the program.
    case all
    /// No format.
    case none

    /// The format of `codec` if its files are decoded in a separate process, nil if in the program.
    ///
    /// Goes by the codec's type, so that a codec of the program for one of these formats stays in the
    /// program.
    func isolatedFormat(of codec: any ImageCodec) -> IsolatedFormat? {
        guard self != .none, let format = IsolatedFormat.all[String(reflecting: type(of: codec))] else {
            return nil
        }
        return self == .all || !format.isTrusted ? format : nil
    }
}

/// A format of the decoder process, which lists their codecs in `Sources/DecoderFormats`.
struct IsolatedFormat {
    /// Whether `.untrustedFormats` leaves it in the program.
    let isTrusted: Bool
    /// What its decoder may open.
    let access: DecoderAccess

    /// By the type of a codec.
    static let all: [String: IsolatedFormat] = [
        "KingfisherImage.JPEGCodec": trusted,
        "KingfisherImage.PNGCodec": trusted,
        "KingfisherImage.APNGCodec": trusted,
        "KingfisherImage.GIFCodec": trusted,
        "KingfisherWebP.WebPCodec": trusted,
        "KingfisherAVIF.AVIFCodec": trusted,
        "KingfisherJPEGXL.JPEGXLCodec": trusted,
        "KingfisherBMP.BMPCodec": trusted,
        "KingfisherBMP.ICOCodec": trusted,
        "KingfisherPNM.PNMCodec": trusted,
        "KingfisherHEIC.HEICCodec": untrusted,
        "KingfisherTIFF.TIFFCodec": untrusted,
        "KingfisherSVG.SVGCodec": IsolatedFormat(isTrusted: false, access: .fonts),
    ]

    private static let trusted = IsolatedFormat(isTrusted: true, access: .nothing)
    private static let untrusted = IsolatedFormat(isTrusted: false, access: .nothing)
}
