import Foundation

/// Reads the orientation from a PNG's metadata.
///
/// The first source with an orientation is used, in this order: the eXIf chunk (PNG, third edition,
/// 11.3.4.5); EXIF as hexadecimal text under the keywords of exiftool and of ImageMagick, which predate that
/// chunk; `tiff:Orientation` in XMP. Chunks may precede or follow the pixels.
enum PNGMetadata {
    /// The maximum number of text chunks to read; real files have one or two, malicious files a million.
    static let maximumTexts = 16
    /// The maximum decompressed bytes of all these texts. EXIF has at most 64 KiB, or twice as many
    /// hexadecimal digits; XMP is rarely larger.
    static let maximumTextBytes = 1 << 20

    static func orientation(in reader: ByteReader) -> Image.Orientation {
        var chunks = PNGChunks(reader, from: PNGFileHeader.end)
        var texts: [(text: PNGText, holdsXMP: Bool)] = []
        while let chunk = try? chunks.next(), chunk.type != .IEND {
            switch chunk.type {
            case .eXIf:
                guard counts(chunk, in: reader) else { continue }
                let found = reader.slice(at: chunk.data, count: chunk.length)
                    .flatMap(EXIF.orientation(inChunk:))
                if let found { return found }
            case .tEXt, .zTXt, .iTXt:
                guard texts.count < maximumTexts, let text = PNGText(chunk, in: reader) else { continue }
                let isXMP = text.has(keyword: "XML:com.adobe.xmp")
                let isEXIF =
                    text.has(keyword: "Raw profile type exif") || text.has(keyword: "Raw profile type APP1")
                if isXMP || isEXIF, counts(chunk, in: reader) { texts.append((text, isXMP)) }
            default: continue
            }
        }
        return texts.isEmpty ? .up : orientation(in: texts, reader.limits)
    }

    /// Whether the chunk is complete and its checksum right; for expendable chunks.
    static func counts(_ chunk: PNGChunk, in reader: ByteReader) -> Bool {
        (try? PNGChecksum.counts(chunk, in: reader)) ?? false
    }

    private static func orientation(
        in texts: [(text: PNGText, holdsXMP: Bool)], _ limits: ImageLimits
    ) -> Image.Orientation {
        var left = min(maximumTextBytes, limits.maximumMetadataBytes)
        for holdsXMP in [false, true] {
            for (text, isXMP) in texts where isXMP == holdsXMP && left > 0 {
                let expanded = text.expanded(atMost: left)
                // A failed decompression may have used up the time allowed for all of them.
                left -= expanded?.count ?? left
                let found = expanded?.withUnsafeBytes { bytes in
                    isXMP
                        ? XMP.orientation(in: ByteReader(bytes))
                        : RawProfile.orientation(in: ByteReader(bytes))
                }
                if let found = found.flatMap(\.self) { return found }
            }
        }
        return .up
    }
}

/// EXIF as PNG text: a line feed, a name, a number of bytes, and the bytes as lines of hexadecimal digits.
enum RawProfile {
    static func orientation(in text: ByteReader) -> Image.Orientation? {
        bytes(in: text)?.withUnsafeBytes { EXIF.orientation(inChunk: ByteReader($0)) }
    }

    /// Nil without the three parts.
    static func bytes(in text: ByteReader) -> [UInt8]? {
        var lines = text.bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2)
        guard lines.count == 3 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in lines.removeLast() {
            guard let digit = digit(character) else { continue }
            if let first = high { bytes.append(first << 4 | digit) }
            high = high == nil ? digit : nil
        }
        return bytes
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
