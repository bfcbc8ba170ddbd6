import KingfisherCodecSupport

/// The colour space of a V4 or V5 header (Windows GDI: LOGCOLORSPACE, BITMAPV5HEADER).
enum DIBColorSpace {
    case sRGB
    /// Primaries and curves, without a profile.
    case calibrated(ColorEncoding)
    /// An ICC profile in the file.
    case profile(offset: Int, length: Int)

    private enum Kind {
        static let calibrated = 0
        static let embedded = 0x4D42_4544
    }

    /// Other kinds are sRGB: `sRGB`, `Win `, and `LINK`, the path of a profile, which is never opened.
    init(_ header: ByteReader, at start: Int) {
        switch header.uint32(at: 56, bigEndian: false) {
        case Kind.calibrated:
            self = .calibrated(CalibratedRGB.encoding(header))
        case Kind.embedded:
            guard let offset = header.uint32(at: 112, bigEndian: false),
                let length = header.uint32(at: 116, bigEndian: false)
            else {
                self = .sRGB
                return
            }
            // The offset counts from the header.
            self = .profile(offset: start + offset, length: length)
        default: self = .sRGB
        }
    }

    /// The conversion to sRGB; nil if none is needed, or if the profile is missing or unusable.
    func transform(in reader: ByteReader) -> ICCTransform? {
        switch self {
        case .sRGB: nil
        case .calibrated(let encoding): encoding.transform(of: .rgb(.eight))
        case .profile(let offset, let length):
            reader.slice(at: offset, count: length).flatMap { ICCTransform.toSRGB(from: $0) }
        }
    }
}
