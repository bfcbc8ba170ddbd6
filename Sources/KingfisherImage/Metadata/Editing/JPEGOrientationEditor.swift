import Foundation

/// Changes the orientation of a JPEG file.
enum JPEGOrientationEditor {
    static func applied(
        _ orientation: Image.Orientation, to file: Data
    ) throws(ImageCodecError) -> Data {
        let structure = try file.reading { reader throws(ImageCodecError) in try JPEGStructure(reader) }
        var bytes = [UInt8](file)
        var hasEXIF = false
        /// Where the file grows, and by what.
        var growth: (range: Range<Int>, bytes: [UInt8])?
        for segment in structure.head where segment.code == 0xE1 {
            let body = segment.body..<segment.end
            if bytes[body].starts(with: "Exif\0\0".utf8),
                let editor = TIFFEditor(Array(bytes[body].dropFirst(6)))
            {
                let isFirst = !hasEXIF
                hasEXIF = true
                let edited = try Self.edited(editor, orientation, canGrow: isFirst)
                let tiff = body.lowerBound + 6..<body.upperBound
                if edited.count == tiff.count {
                    bytes.replaceSubrange(tiff, with: edited)
                } else {
                    let data = Array("Exif\0\0".utf8) + edited
                    guard data.count <= JPEGSegmentBytes.maximum else {
                        throw .unsupported("an EXIF block without room for an orientation")
                    }
                    growth = (segment.start..<segment.end, try JPEGSegmentBytes.segment(0xE1, data))
                }
            } else if bytes[body].starts(with: "http://ns.adobe.com/xap/1.0/\0".utf8) {
                XMP.setOrientation(orientation, in: &bytes, body)
            }
        }
        if !hasEXIF {
            let place = insertionPlace(structure, in: bytes)
            growth = (place..<place, JPEGSegmentBytes.exif(orientation))
        }
        guard let growth else { return Data(bytes) }
        try ImageIndex.shift(
            in: &bytes, structure, at: growth.range.lowerBound, by: growth.bytes.count - growth.range.count)
        bytes.replaceSubrange(growth.range, with: growth.bytes)
        return Data(bytes)
    }

    private static func edited(
        _ editor: TIFFEditor, _ orientation: Image.Orientation, canGrow: Bool
    ) throws(ImageCodecError) -> [UInt8] {
        var editor = editor
        if !editor.setOrientation(orientation), canGrow, !editor.addOrientation(orientation) {
            throw .unsupported("a malformed EXIF block")
        }
        return editor.bytes
    }

    /// After JFIF's segment, which must be the first.
    private static func insertionPlace(_ structure: JPEGStructure, in bytes: [UInt8]) -> Int {
        guard let first = structure.segments.first else { return 2 }
        return first.code == 0xE0 ? first.end : first.start
    }
}

extension XMP {
    private static let name: StaticString = "tiff:Orientation"

    /// Overwrites the digits of `tiff:Orientation` in a part of `bytes`; readers without EXIF use them.
    static func setOrientation(
        _ orientation: Image.Orientation, in bytes: inout [UInt8], _ body: Range<Int>
    ) {
        let places = bytes.withUnsafeBytes { all -> [Int] in
            guard let packet = ByteReader(all).slice(at: body.lowerBound, count: body.count) else {
                return []
            }
            return orientationDigits(in: packet).map { $0 + body.lowerBound }
        }
        for place in places {
            bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: orientation.exifValue)
        }
    }

    /// The offsets of the values of `tiff:Orientation` that are one digit.
    private static func orientationDigits(in packet: ByteReader) -> [Int] {
        var places: [Int] = []
        var offset = 0
        while let found = packet.offset(of: UInt8(ascii: "t"), from: offset) {
            offset = found + 1
            guard packet.has(name, at: found) else { continue }
            var place = found + name.utf8CodeUnitCount
            while let byte = packet.uint8(at: place), Array(" \t\r\n=>\"'".utf8).contains(UInt8(byte)) {
                place += 1
            }
            guard let digit = packet.uint8(at: place), (0x30...0x39).contains(digit),
                let next = packet.uint8(at: place + 1), !(0x30...0x39).contains(next)
            else { continue }
            places.append(place)
        }
        return places
    }
}

/// The index of a file with several images (CIPA DC-007, section 5.2.3), in an APP2 segment: for each image
/// its attributes, its size, and its offset from the index's TIFF header, which is 0 for the first image.
enum ImageIndex {
    private static let entriesTag = 0xB002
    private static let entryBytes = 16

    /// Corrects the index for a first image that grows by `count` bytes at `place`.
    static func shift(
        in bytes: inout [UInt8], _ structure: JPEGStructure, at place: Int, by count: Int
    ) throws(ImageCodecError) {
        for segment in structure.segments where segment.code == 0xE2 {
            guard bytes[segment.body..<segment.end].starts(with: "MPF\0".utf8) else { continue }
            let header = segment.body + 4
            guard let table = bytes.withUnsafeBytes({ entries(ByteReader($0), header..<segment.end) }) else {
                throw .unsupported("a malformed index of a file with several images")
            }
            for (index, entry) in table.places.enumerated() {
                // Sizes and offsets have 32 bits.
                if index == 0 { add(count, at: entry + 4, in: &bytes, table.isBigEndian) }
                // Images after the index move with it, unless the growth is between them.
                if index > 0, place > header { add(count, at: entry + 8, in: &bytes, table.isBigEndian) }
            }
        }
    }

    /// Cameras write two or three images; this is for malicious files.
    private static let maximumImages = 8

    /// The offsets of the images after the first one.
    static func laterImages(in file: ByteReader, _ structure: JPEGStructure) -> [Int] {
        for segment in structure.segments where segment.code == 0xE2 {
            guard segment.data(in: file).has("MPF\0", at: 0),
                let table = entries(file, segment.body + 4..<segment.end)
            else { continue }
            return table.places.dropFirst().prefix(maximumImages).compactMap { entry in
                file.uint32(at: entry + 8, bigEndian: table.isBigEndian).map { segment.body + 4 + $0 }
            }
        }
        return []
    }

    private static func entries(
        _ file: ByteReader, _ range: Range<Int>
    ) -> (places: [Int], isBigEndian: Bool)? {
        guard let block = file.slice(at: range.lowerBound, count: range.count), let tiff = TIFFFile(block),
            tiff.reader.count == block.count, let directory = tiff.directory(at: tiff.first),
            let table = directory.bytes(entriesTag), table.count >= entryBytes, table.count % entryBytes == 0,
            let base = file.bytes.baseAddress, let start = table.bytes.baseAddress
        else { return nil }
        let first = base.distance(to: start)
        return (stride(from: first, to: first + table.count, by: entryBytes).map(\.self), tiff.isBigEndian)
    }

    private static func add(_ count: Int, at offset: Int, in bytes: inout [UInt8], _ isBigEndian: Bool) {
        let old = bytes.withUnsafeBytes { ByteReader($0).uint32(at: offset, bigEndian: isBigEndian) }
        // 0 is the offset of the first image, or the size of a missing one.
        guard let old, old > 0, offset + 4 <= bytes.count else { return }
        let new = UInt32(truncatingIfNeeded: old + count)
        let ordered = isBigEndian ? new.bigEndianBytes : new.bigEndianBytes.reversed()
        bytes.replaceSubrange(offset..<offset + 4, with: ordered)
    }
}
