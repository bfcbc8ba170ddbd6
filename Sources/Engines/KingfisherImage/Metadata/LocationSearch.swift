import Foundation

/// Decides whether a file of another format than JPEG is written again, or refused, to remove a location.
///
/// What cannot be examined counts as a location. Names of places and `MakerNote` do not.
enum LocationSearch {
    /// Whether a location is in the blocks of the file, or anywhere in its bytes.
    static func mayFindLocation(
        in file: Data, _ blocks: ImageMetadataBlocks, of codec: any ImageCodec
    ) -> Bool {
        guard blocks.isComplete, !mayFindLocation(in: blocks) else { return true }
        let bytes = [UInt8](file)
        guard let examined = try? LocationEraser.examined(bytes, depth: 0), examined == bytes else {
            return true
        }
        // Drawings may show these words.
        guard codec.capabilities.contains(.readsMetadata) else { return false }
        return LocationEraser.mentionsLocation(bytes)
            || bytes.withUnsafeBytes { hasVideo(ByteReader($0)) || hidesTexts(ByteReader($0)) }
    }

    private static func mayFindLocation(in blocks: ImageMetadataBlocks) -> Bool {
        let tiff = blocks.exif.map(ImageMetadataBlocks.tiff)
        if let tiff, (try? LocationEraser.exif(tiff, depth: 0)) != tiff { return true }
        return [blocks.xmp, blocks.extendedXMP].compactMap(\.self).contains { packet in
            (try? XMPEraser.erased([UInt8](packet), where: XMPEraser.isLocation))?.hasErased ?? true
        }
    }

    /// Whether the first box of a second ISO file is in the file: a video of a "motion photo".
    private static func hasVideo(_ reader: ByteReader) -> Bool {
        guard reader.has("ftyp", at: 4) else { return false }
        var start = 5
        while let place = reader.offset(of: "ftyp", from: start) {
            // The box is short; other bytes may spell its name by chance.
            if reader.uint16(at: place - 4, bigEndian: true) == 0 { return true }
            start = place + 1
        }
        return false
    }

    /// Whether a PNG has texts in a form that is not searched: compressed, or in hexadecimal digits.
    private static func hidesTexts(_ reader: ByteReader) -> Bool {
        guard reader.bytes.starts(with: PNGCodec.signature) else { return false }
        var chunks = PNGChunks(reader, from: PNGFileHeader.end)
        while let chunk = try? chunks.next(), chunk.type != .IEND {
            guard chunk.type.isText else { continue }
            guard let text = PNGText(chunk, in: reader) else { return true }
            if text.isCompressed || text.name.hasPrefix("Raw profile type") { return true }
        }
        return false
    }
}
