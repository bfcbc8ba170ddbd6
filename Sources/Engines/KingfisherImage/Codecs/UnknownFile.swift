import Foundation

struct UnknownFile {
    /// Enough for signatures, and for comments before a document's first tag.
    private static let examinedBytes = 1024
    private static let shownBytes = 16

    private let start: [UInt8]
    private let isShortened: Bool
    private let formats: [ImageFormat]

    init(_ data: Data, formats: [ImageFormat] = ImageCodecs.formats) {
        self.formats = formats
        start = [UInt8](data.prefix(Self.examinedBytes))
        isShortened = data.count > Self.shownBytes
    }

    var message: String {
        switch ForeignFormat(start) {
        case .html: "HTML, not an image; it begins with \(beginning)"
        case .image("WebP") where !formats.contains(ImageFormat(name: "WEBP")):
            "WebP, which no registered codec reads: KingfisherWebP does, after ImageCodecs.register(.webP)"
        case .image(let name): "\(name), which no registered codec reads"
        case nil:
            "no registered format (\(formats.map(\.name).joined(separator: ", "))); it begins with \(beginning)"
        }
    }

    /// The first bytes. Bytes that are not printable ASCII are escaped, so that they cannot control a
    /// terminal.
    private var beginning: String {
        let shown = start.prefix(Self.shownBytes).map { byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\\(UnicodeScalar(byte))"
            case 0x20...0x7E: "\(UnicodeScalar(byte))"
            default: String(format: "\\x%02X", byte)
            }
        }
        return "\"\(shown.joined())\"" + (isShortened ? "…" : "")
    }
}
