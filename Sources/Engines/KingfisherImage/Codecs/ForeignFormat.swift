/// A known file type that no registered codec decodes, detected from the first bytes; used for error
/// messages.
enum ForeignFormat: Equatable {
    /// Usually an error page instead of an image.
    case html
    case image(String)

    init?(_ start: [UInt8]) {
        guard
            let format = Self.signature(of: start) ?? Self.brand(of: start).map(Self.image)
                ?? Self.markup(of: start)
        else { return nil }
        self = format
    }

    /// Signatures at fixed offsets (WebP: RFC 9649; JPEG XL: ISO/IEC 18181-2; PNM: netpbm's man pages).
    private static func signature(of start: [UInt8]) -> ForeignFormat? {
        if start.starts(with: "RIFF".utf8), start.dropFirst(8).starts(with: "WEBP".utf8) {
            return .image("WebP")
        }
        // The four bytes after the file's size are reserved; in PNM, white space follows the number.
        if start.count > 10, start.starts(with: "BM".utf8), start[6..<10].allSatisfy({ $0 == 0 }) {
            return .image("BMP")
        }
        if start.count > 2, start[0] == UInt8(ascii: "P"), (0x31...0x37).contains(start[1]),
            start[2] == 0x20 || (9...13).contains(start[2])
        {
            return .image("PNM")
        }
        // Other RAW files begin as TIFF files do.
        if start.starts(with: "II*\0".utf8), start.dropFirst(8).starts(with: "CR\u{2}".utf8) {
            return .image("camera RAW")
        }
        return signatures.first { start.starts(with: $0.bytes) }.map { .image($0.name) }
    }

    private static let signatures: [(bytes: [UInt8], name: String)] = [
        ([0xFF, 0x0A], "JPEG XL"),
        ([0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 0x0A], "JPEG XL"),
        ([0, 0, 0, 12] + Array("jP  \r\n".utf8) + [0x87, 0x0A], "JPEG 2000"),
        (Array("FUJIFILMCCD-RAW ".utf8), "camera RAW"), (Array("IIU\0".utf8), "camera RAW"),
        (Array("IIRO".utf8), "camera RAW"), (Array("IIRS".utf8), "camera RAW"),
        (Array("MMOR".utf8), "camera RAW"),
        ([0x49, 0x49, 0x2A, 0], "TIFF"), ([0x4D, 0x4D, 0, 0x2A], "TIFF"),
        ([0, 0, 1, 0], "ICO"), (Array("%PDF-".utf8), "PDF"),
    ]

    /// The name by the brands of an `ftyp` box (ISO/IEC 14496-12, 4.3): AVIF, HEIF, CR3 or video.
    private static func brand(of start: [UInt8]) -> String? {
        guard start.count >= 12, start[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let length = start[..<4].reduce(0) { $0 << 8 | Int($1) }
        let end = min(max(length, 12), start.count)
        // The main brand and the compatible brands are separated by a version.
        let brands = ([8] + Array(stride(from: 16, through: end - 4, by: 4))).map { place in
            String(decoding: start[place..<(place + 4)], as: UTF8.self)
        }
        if brands.contains(where: ["avif", "avis"].contains) { return "AVIF" }
        if brands.contains(where: ["heic", "heix", "heim", "heis", "hevc", "hevx"].contains) {
            return "HEIC"
        }
        if brands[0] == "crx " { return "camera RAW" }
        return brands.contains(where: ["mif1", "msf1"].contains) ? "HEIF" : "MP4 or QuickTime"
    }

    private static func markup(of start: [UInt8]) -> ForeignFormat? {
        var rest = String(decoding: start, as: UTF8.self)[...]
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
            let end = rest.hasPrefix("<?") ? "?>" : rest.hasPrefix("<!--") ? "-->" : nil
            guard let end else { break }
            guard let closing = rest.firstRange(of: end) else { return nil }
            rest = rest[closing.upperBound...]
        }
        let tag = rest.prefix(14).lowercased()
        if tag.hasPrefix("<svg") || tag.hasPrefix("<!doctype svg") { return .image("SVG") }
        return ["<!doctype html", "<html", "<head", "<body"].contains(where: tag.hasPrefix) ? .html : nil
    }
}
