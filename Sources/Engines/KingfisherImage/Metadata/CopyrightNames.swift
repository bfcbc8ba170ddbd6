import Foundation

/// The names of creators and copyright holders in the blocks of a file.
struct CopyrightNames: Hashable {
    /// EXIF's `Artist`.
    var artist: String?
    /// The part of EXIF's `Copyright` for the photographer.
    var photographer: String?
    /// The part of EXIF's `Copyright` for the editor of a collection.
    var editor: String?
    var xmp = XMPNames()
    /// IPTC 2:80.
    var bylines: [String] = []
    /// IPTC 2:116.
    var notice: String?

    init() {}

    /// Malformed blocks have no names.
    init(_ blocks: ImageMetadataBlocks) {
        blocks.exif?.withUnsafeBytes { bytes in
            guard let exif = EXIFReader(ByteReader(bytes)) else { return }
            let fields = exif.fields
            (artist, photographer, editor) = (fields.artist, fields.copyright, exif.editorCopyright)
        }
        for packet in [blocks.xmp, blocks.extendedXMP] {
            guard let names = packet?.withUnsafeBytes({ XMPNames(ByteReader($0)) }) else { continue }
            if xmp.creators.isEmpty { xmp.creators = names.creators }
            if xmp.rights.isEmpty { xmp.rights = names.rights }
        }
        if let fields = blocks.iptc?.withUnsafeBytes({ IPTCReader.fields(in: ByteReader($0)) }) {
            (bylines, notice) = (fields.bylines, fields.copyright)
        }
    }

    /// What fits in one segment of a JPEG file with the header of the block.
    private static let maximumBlockBytes = 65_000

    /// Blocks with the names and nothing else. A block that does not fit in a segment of a JPEG file is
    /// omitted.
    ///
    /// `orientation` is for files whose pixels do not change. Without names in EXIF it is omitted, because
    /// codecs then write a block for the orientation alone.
    func blocks(orientation: Image.Orientation = .up) -> ImageMetadataBlocks {
        var blocks = ImageMetadataBlocks()
        blocks.exif = Self.block(exif(orientation))
        blocks.xmp = Self.block(packet)
        blocks.iptc = Self.block(iptc)
        return blocks
    }

    private static func block(_ bytes: [UInt8]) -> Data? {
        bytes.isEmpty || bytes.count > maximumBlockBytes ? nil : Data(bytes)
    }

    /// A TIFF file of one directory (CIPA DC-008-2019, sections 4.6.2 and 4.6.4).
    private func exif(_ orientation: Image.Orientation) -> [UInt8] {
        var entries: [(tag: UInt16, type: UInt16, count: Int, value: [UInt8])] = []
        if let artist {
            let value = Array(artist.utf8) + [0]
            entries.append((0x013B, 2, value.count, value))
        }
        if photographer != nil || editor != nil {
            // A space in place of an absent photographer.
            let parts = [photographer ?? " "] + (editor.map { [$0] } ?? [])
            let value = parts.reduce(into: [UInt8]()) { $0 += Array($1.utf8) + [0] }
            entries.append((0x8298, 2, value.count, value))
        }
        guard !entries.isEmpty else { return [] }
        if orientation != .up {
            let value = UInt16(clamping: orientation.exifValue).bigEndianBytes
            entries.insert((0x0112, 3, 1, value), at: 0)
        }
        let directory =
            Array("MM".utf8) + [0, 42, 0, 0, 0, 8] + UInt16(clamping: entries.count).bigEndianBytes
        let start = directory.count + entries.count * 12 + 4
        var (list, values): ([UInt8], [UInt8]) = (directory, [])
        for entry in entries {
            list += entry.tag.bigEndianBytes + entry.type.bigEndianBytes
            list += UInt32(clamping: entry.count).bigEndianBytes
            if entry.value.count <= 4 {
                list += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                list += UInt32(clamping: start + values.count).bigEndianBytes
                // Values begin at even offsets.
                values += entry.value + (entry.value.count % 2 == 1 ? [0] : [])
            }
        }
        return list + [0, 0, 0, 0] + values
    }

    /// A packet of XMP (ISO 16684-1, section 7.3).
    private var packet: [UInt8] {
        let creators = xmp.creators.map(XMLText.escaped).filter { !$0.isEmpty }
            .map { "<rdf:li>\($0)</rdf:li>" }.joined()
        let rights = xmp.rights.map { ($0.language, XMLText.escaped($0.text)) }.filter { !$0.1.isEmpty }
            .map { "<rdf:li xml:lang=\"\($0)\">\($1)</rdf:li>" }.joined()
        guard !creators.isEmpty || !rights.isEmpty else { return [] }
        let text =
            "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
            + "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
            + "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
            + "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">"
            + (creators.isEmpty ? "" : "<dc:creator><rdf:Seq>\(creators)</rdf:Seq></dc:creator>")
            + (rights.isEmpty ? "" : "<dc:rights><rdf:Alt>\(rights)</rdf:Alt></dc:rights>")
            + "</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>"
        let bytes = Array(text.utf8)
        // Readers that search the bytes would take such a name for the orientation.
        let isTurned = bytes.withUnsafeBytes { XMP.orientation(in: ByteReader($0)) != nil }
        return isTurned ? [] : bytes
    }

    /// Data sets of IPTC-IIM 4.2. UTF-8 is declared (1:90) if a text needs it.
    private var iptc: [UInt8] {
        let notices = [notice].compactMap(\.self)
        let texts: [(number: UInt8, text: [UInt8])] =
            bylines.map { (80, Array($0.utf8)) } + notices.map { (116, Array($0.utf8)) }
        let isASCII = texts.allSatisfy { $0.text.allSatisfy { $0 < 0x80 } }
        let encoding: [UInt8] = isASCII ? [] : [0x1C, 1, 90, 0, 3, 0x1B, 0x25, 0x47]
        return texts.reduce(into: encoding) { bytes, entry in
            bytes += [0x1C, 2, entry.number] + UInt16(clamping: entry.text.count).bigEndianBytes + entry.text
        }
    }
}
