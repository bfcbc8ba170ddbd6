import Foundation

extension PNGMetadata {
    /// The blocks of all chunks up to IEND or the end of the bytes.
    static func blocks(in reader: ByteReader) throws(ImageCodecError) -> ImageMetadataBlocks {
        let header = try PNGFileHeader(scanning: reader)
        var blocks = ImageMetadataBlocks()
        // Entries of a palette are RGB.
        let colors = header.colorType == .palette ? 3 : header.colorType.channels
        blocks.channels = colors + (header.hasTransparencyChunk && !header.colorType.hasAlpha ? 1 : 0)
        blocks.take(PNGColors(in: reader))
        var texts: [PNGText] = []
        var chunks = PNGChunks(reader, from: PNGFileHeader.end)
        while let chunk = try? chunks.next(), chunk.type != .IEND {
            guard let body = reader.slice(at: chunk.data, count: chunk.length) else { break }
            take(chunk, body, of: reader, into: &blocks, texts: &texts)
        }
        for text in texts { take(text, into: &blocks) }
        return blocks
    }

    private static func take(
        _ chunk: PNGChunk, _ body: ByteReader, of reader: ByteReader, into blocks: inout ImageMetadataBlocks,
        texts: inout [PNGText]
    ) {
        switch chunk.type {
        case .eXIf where counts(chunk, in: reader): blocks.keep(body, as: \.exif)
        case .pHYs where counts(chunk, in: reader): blocks.density = blocks.density ?? density(body)
        case .tEXt, .zTXt, .iTXt:
            guard let text = PNGText(chunk, in: reader), kind(of: text) != nil, counts(chunk, in: reader)
            else { return }
            guard texts.count < maximumTexts else { return blocks.isComplete = false }
            texts.append(text)
        default: break
        }
    }

    enum TextKind {
        case exif, iptc, xmp
    }

    static func kind(of text: PNGText) -> TextKind? {
        if text.has(keyword: "XML:com.adobe.xmp") { return .xmp }
        if text.has(keyword: "Raw profile type iptc") { return .iptc }
        let isEXIF = text.has(keyword: "Raw profile type exif") || text.has(keyword: "Raw profile type APP1")
        return isEXIF ? .exif : nil
    }

    /// A text that fails to expand uses up the room, because it may have used the time for all of them.
    private static func take(_ text: PNGText, into blocks: inout ImageMetadataBlocks) {
        let limit = min(maximumTextBytes, blocks.room)
        guard limit > 0, let content = text.expanded(atMost: limit) else { return blocks.isComplete = false }
        content.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            switch kind(of: text) {
            case .xmp: blocks.keep(reader, as: \.xmp)
            case .exif:
                RawProfile.bytes(in: reader)?.withUnsafeBytes { bytes in
                    // "APP1" may be XMP as well.
                    if TIFFFile(ByteReader(bytes)) != nil { blocks.keep(ByteReader(bytes), as: \.exif) }
                }
            case .iptc:
                RawProfile.bytes(in: reader)?.withUnsafeBytes { bytes in
                    let raw = ByteReader(bytes)
                    blocks.keep(PhotoshopResources.iptc(in: raw) ?? raw, as: \.iptc)
                }
            case nil: break
            }
        }
    }

    /// Pixels per unit in both directions; unit 1 is the metre.
    private static func density(_ body: ByteReader) -> ImageMetadata.PixelDensity? {
        guard let x = body.uint32(at: 0, bigEndian: true), let y = body.uint32(at: 4, bigEndian: true),
            body.uint8(at: 8) == 1
        else { return nil }
        return ImageMetadata.PixelDensity(x: Double(x) * 0.0254, y: Double(y) * 0.0254)
    }
}

extension ImageMetadataBlocks {
    /// What decoding uses, so that a profile with lower precedence is not shown.
    fileprivate mutating func take(_ colors: PNGColors) {
        switch colors {
        case .codePoints(let points, _): codePoints = points
        case .profile(let file): file.withUnsafeBytes { keep(ByteReader($0), as: \.profile) }
        case .sRGB, .measured: break
        }
    }
}
