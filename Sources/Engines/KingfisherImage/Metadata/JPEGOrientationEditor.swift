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
            let prefix = prefixLength(of: bytes[body])
            if prefix > 0, let editor = TIFFEditor(Array(bytes[body].dropFirst(prefix))) {
                let edited = try Self.edited(editor, orientation, canGrow: !hasEXIF)
                hasEXIF = true
                let tiff = body.lowerBound + prefix..<body.upperBound
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

    /// The bytes before the TIFF file of a block of EXIF, whose prefix readers accept twice; 0 for others.
    private static func prefixLength(of block: ArraySlice<UInt8>) -> Int {
        guard block.starts(with: "Exif\0\0".utf8) else { return 0 }
        return block.starts(with: "Exif\0\0Exif\0\0".utf8) ? 12 : 6
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
