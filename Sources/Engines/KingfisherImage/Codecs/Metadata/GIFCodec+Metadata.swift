package import Foundation

extension GIFCodec {
    /// XMP (XMP specification, part 3, section 1.1.2) and ICC profiles, both in application extensions.
    static func metadataBlocks(in reader: ByteReader) throws(ImageCodecError) -> ImageMetadataBlocks {
        guard let packed = reader.uint8(at: 10) else { throw .truncated }
        let palette = GIFPalette(packed: packed, offset: GIFPalette.globalOffset)
        var blocks = GIFBlocks(
            reader, offset: GIFPalette.globalOffset + (palette?.byteCount ?? 0), recordsTexts: true)
        while let block = try? blocks.next() { _ = block }
        var found = ImageMetadataBlocks()
        for body in blocks.texts where isApplication(body, in: reader) {
            guard let body = reader.slice(at: body.lowerBound, count: body.count) else { continue }
            if body.has("XMP DataXMP", at: 1) {
                found.keepXMP(body)
            } else if body.has("ICCRGBG1012", at: 1) {
                found.keep(profile: body)
            }
        }
        return found
    }
}

extension ImageMetadataBlocks {
    /// The length byte of an application extension and the eleven bytes of its name.
    private static let headBytes = 12
    /// A packet is not divided into sub-blocks: 258 bytes after it make decoders skip it.
    private static let trailerBytes = 258

    fileprivate mutating func keepXMP(_ body: ByteReader) {
        let end = body.count - Self.trailerBytes
        if body.uint8(at: end) == 1, body.uint8(at: end + 1) == 0xFF,
            let packet = body.slice(at: Self.headBytes, count: end - Self.headBytes)
        {
            keep(packet, as: \.xmp)
        } else {
            joined(body)?.withUnsafeBytes { keep(ByteReader($0), as: \.xmp) }
        }
    }

    fileprivate mutating func keep(profile body: ByteReader) {
        joined(body)?.withUnsafeBytes { keep(ByteReader($0), as: \.profile) }
    }

    private mutating func joined(_ body: ByteReader) -> Data? {
        guard body.count <= room else {
            isComplete = false
            return nil
        }
        var offset = Self.headBytes
        var data = Data()
        while let length = body.uint8(at: offset), length > 0,
            let part = body.slice(at: offset + 1, count: length)
        {
            data.append(contentsOf: part.bytes)
            offset += 1 + length
        }
        return data
    }
}

extension GIFCodec {
    /// Removes comments, XMP and other application extensions, except the loop count. Writes none of the
    /// blocks: GIF has no place for EXIF and IPTC.
    package func replacingMetadata(
        of file: Data, with blocks: ImageMetadataBlocks
    ) throws(ImageCodecError) -> Data {
        try file.reading { reader throws(ImageCodecError) in
            guard let packed = reader.uint8(at: 10) else { throw .truncated }
            let palette = GIFPalette(packed: packed, offset: GIFPalette.globalOffset)
            var walk = GIFBlocks(
                reader, offset: GIFPalette.globalOffset + (palette?.byteCount ?? 0), recordsTexts: true)
            while let block = try walk.next() { _ = block }
            var output = Data(capacity: reader.count)
            var start = 0
            for body in walk.texts where !Self.isLoop(body, in: reader) {
                // The introducer and the label precede the body.
                output.append(contentsOf: reader.bytes[start..<body.lowerBound - 2])
                start = body.upperBound
            }
            // Without bytes after the trailer.
            output.append(contentsOf: reader.bytes[start...walk.blockStart])
            return output
        }
    }

    /// Whether the label before the body means an application extension, not a comment.
    private static func isApplication(_ body: Range<Int>, in reader: ByteReader) -> Bool {
        reader.uint8(at: body.lowerBound - 1) == 0xFF
    }

    private static func isLoop(_ body: Range<Int>, in reader: ByteReader) -> Bool {
        guard isApplication(body, in: reader) else { return false }
        return reader.has("NETSCAPE2.0", at: body.lowerBound + 1)
            || reader.has("ANIMEXTS1.0", at: body.lowerBound + 1)
    }
}
