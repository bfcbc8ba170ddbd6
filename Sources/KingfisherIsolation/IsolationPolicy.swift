import KingfisherImage

/// Which formats are decoded in a process of their own.
public enum IsolationPolicy: Hashable, Sendable {
    /// Formats whose libraries have a history of vulnerabilities: HEIC and TIFF.
    case untrustedFormats
    /// All formats of the decoder: those of this package except SVG. Codecs of other packages stay in the
    /// program.
    case all
    /// No format.
    case none

    /// Whether a file that `codec` reads is decoded in a process of its own.
    ///
    /// Goes by the codec's type, so that a codec of the program for one of these formats stays in the
    /// program.
    func isolates(_ codec: any ImageCodec) -> Bool {
        guard self != .none, let trust = IsolatedFormats.trust[String(reflecting: type(of: codec))] else {
            return false
        }
        return self == .all || trust == .untrusted
    }
}

/// The codecs that the decoder process has, by type. The process itself lists them in
/// `Sources/DecoderFormats`.
enum IsolatedFormats {
    enum Trust { case trusted, untrusted }

    static let trust: [String: Trust] = [
        "KingfisherImage.JPEGCodec": .trusted,
        "KingfisherImage.PNGCodec": .trusted,
        "KingfisherImage.APNGCodec": .trusted,
        "KingfisherImage.GIFCodec": .trusted,
        "KingfisherWebP.WebPCodec": .trusted,
        "KingfisherAVIF.AVIFCodec": .trusted,
        "KingfisherJPEGXL.JPEGXLCodec": .trusted,
        "KingfisherBMP.BMPCodec": .trusted,
        "KingfisherBMP.ICOCodec": .trusted,
        "KingfisherPNM.PNMCodec": .trusted,
        "KingfisherHEIC.HEICCodec": .untrusted,
        "KingfisherTIFF.TIFFCodec": .untrusted,
    ]
}
