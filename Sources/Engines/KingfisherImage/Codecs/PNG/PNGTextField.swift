package import Foundation

/// A keyword and its text in a PNG file (PNG, third edition, 11.3.3).
package struct PNGTextField: Hashable, Sendable {
    /// 1 to 79 Latin-1 characters.
    package let keyword: String
    /// Latin-1 characters other than U+0000.
    package let text: String

    package init(_ keyword: String, _ text: String) {
        self.keyword = keyword
        self.text = text
    }

    /// The data of a tEXt chunk. Characters outside Latin-1 become question marks.
    var bytes: [UInt8] { Self.latin1(keyword) + [0] + Self.latin1(text) }

    private static func latin1(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
    }
}

extension String {
    init(latin1 bytes: some Sequence<UInt8>) {
        self.init(String.UnicodeScalarView(bytes.lazy.map(Unicode.Scalar.init)))
    }
}

extension PNGCodec {
    /// A PNG with 8-bit RGBA samples, regardless of the colours of `pixels`, and with tEXt chunks before its
    /// pixels.
    package static func encodeRGBA(
        _ pixels: PixelBuffer, texts: [PNGTextField]
    ) throws(ImageCodecError) -> Data {
        try PNGEncoder.encode(pixels.converted(to: .rgba8Straight), as: .rgba, texts: texts)
    }

    /// The texts of a file by keyword, from all kinds of text chunks. Of several texts with one keyword, the
    /// first counts.
    ///
    /// Malformed texts are ignored, and those after the first `limit` bytes of text in total.
    package static func texts(of data: Data, atMost limit: Int) -> [String: String] {
        data.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            guard bytes.starts(with: signature) else { return [:] }
            var texts: [String: String] = [:]
            var left = limit
            var chunks = PNGChunks(reader)
            while left > 0, let chunk = try? chunks.next(), chunk.end <= reader.count {
                guard [.tEXt, .zTXt, .iTXt].contains(chunk.type), let text = PNGText(chunk, in: reader),
                    PNGMetadata.counts(chunk, in: reader)
                else { continue }
                let expanded = text.expanded(atMost: left)
                // A failed decompression may have used up the time allowed for all of them.
                left -= expanded?.count ?? left
                guard let expanded, texts[text.name] == nil else { continue }
                texts[text.name] =
                    chunk.type == .iTXt
                    ? String(decoding: expanded, as: UTF8.self) : String(latin1: expanded)
            }
            return texts
        }
    }
}
