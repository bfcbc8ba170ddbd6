/// Overwrites coordinates in blocks of metadata, in place.
///
/// Programs write EXIF and XMP into many kinds of segments and after many headers, so both are recognized by
/// their own first bytes and not by what contains them.
enum LocationEraser {
    /// A thumbnail has no thumbnail.
    private static let maximumDepth = 2
    /// Real blocks hold one TIFF file.
    private static let maximumFiles = 4

    private static let fileHeads: [StaticString] = ["II*\0", "MM\0*"]
    private static let packetHeads: [StaticString] = ["<?xpacket", "<x:xmpmeta", "<x:xapmeta", "<rdf:RDF"]

    /// A TIFF file without the GPS directory, also of its thumbnails, and without the coordinates of XMP.
    ///
    /// Throws `corrupt` for a location that cannot be separated from other values.
    static func exif(_ block: [UInt8], depth: Int) throws(ImageCodecError) -> [UInt8] {
        guard TIFFEditor(block) != nil else { return unknown(block, depth: depth) }
        return try packets(in: tiff(block, depth: depth))
    }

    /// A block of any format: TIFF files and XMP packets in it lose their coordinates. If it then still
    /// mentions some, or cannot be examined, all of it becomes zeros.
    static func unknown(_ block: [UInt8], depth: Int) -> [UInt8] {
        if let examined = try? examined(block, depth: depth), !mentionsLocation(examined) { return examined }
        return [UInt8](repeating: 0, count: block.count)
    }

    /// Whether words for coordinates occur anywhere in the bytes, in UTF-8 or UTF-16.
    static func mentionsLocation(_ bytes: [UInt8]) -> Bool {
        let text = bytes.filter { $0 != 0 }.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return text.withUnsafeBytes { all in
            let reader = ByteReader(all)
            return reader.offset(of: "latitude") != nil || reader.offset(of: "longitude") != nil
        }
    }

    /// A block of any format without the coordinates of TIFF files and XMP packets in it. Throws if it cannot
    /// be examined.
    static func examined(_ block: [UInt8], depth: Int) throws(ImageCodecError) -> [UInt8] {
        var bytes = block
        let files = files(in: block)
        guard files.count <= maximumFiles else { throw .corrupt("too many TIFF files") }
        for place in files {
            let rest = try tiff(Array(bytes[place...]), depth: depth)
            bytes.replaceSubrange(place..., with: rest)
        }
        return try packets(in: bytes)
    }

    private static func tiff(_ block: [UInt8], depth: Int) throws(ImageCodecError) -> [UInt8] {
        guard var editor = TIFFEditor(block) else { return block }
        if depth < maximumDepth {
            for range in editor.thumbnails() {
                // A thumbnail that is no complete JPEG is overwritten: it cannot be examined.
                let thumbnail = Array(editor.bytes[range])
                let erased = try? JPEGLocationEraser.erased(thumbnail, depth: depth + 1)
                editor.replace(range, with: erased ?? [UInt8](repeating: 0, count: range.count))
            }
        }
        try editor.removeLocation()
        return editor.bytes
    }

    /// The offsets of TIFF files whose first directory is in the block; those after `maximumFiles` of one
    /// byte order are not searched.
    private static func files(in block: [UInt8]) -> [Int] {
        block.withUnsafeBytes { all in
            let reader = ByteReader(all)
            return fileHeads.flatMap { head in
                var places: [Int] = []
                var start = 0
                while places.count <= maximumFiles, let place = reader.offset(of: head, from: start) {
                    let file = reader.slice(at: place, count: all.count - place).flatMap(TIFFFile.init)
                    if let file, file.uint16(at: file.first) != nil { places.append(place) }
                    start = place + 1
                }
                return places
            }
        }
    }

    /// The block without the coordinates of its XMP packets. A packet ends before a zero.
    private static func packets(in block: [UInt8]) throws(ImageCodecError) -> [UInt8] {
        var bytes = block
        var start = 0
        while let packet = nextPacket(in: bytes, from: start) {
            let erased = try XMPEraser.erased(Array(bytes[packet]), where: XMPEraser.isLocation)
            if erased.hasErased { bytes.replaceSubrange(packet, with: erased.bytes) }
            start = packet.upperBound
        }
        return bytes
    }

    private static func nextPacket(in bytes: [UInt8], from start: Int) -> Range<Int>? {
        bytes.withUnsafeBytes { all in
            let reader = ByteReader(all)
            var offset = start
            while let place = reader.offset(of: UInt8(ascii: "<"), from: offset) {
                if packetHeads.contains(where: { reader.has($0, at: place) }) {
                    return place..<(reader.offset(of: 0, from: place) ?? all.count)
                }
                offset = place + 1
            }
            return nil
        }
    }
}
