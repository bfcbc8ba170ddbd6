import Foundation

/// Overwrites the coordinates in a file of one or more JPEG images, in place.
struct JPEGLocationEraser {
    private var bytes: [UInt8]
    private let depth: Int

    /// A thumbnail has no thumbnail.
    private static let maximumDepth = 2
    private static let extendedHeadBytes = 40

    static func applied(to file: Data) throws(ImageCodecError) -> Data {
        Data(try erased([UInt8](file), depth: 0))
    }

    private static func erased(_ file: [UInt8], depth: Int) throws(ImageCodecError) -> [UInt8] {
        var eraser = JPEGLocationEraser(bytes: file, depth: depth)
        var start: Int? = 0
        while let image = start {
            let structure = try eraser.structure(from: image)
            try eraser.erase(structure)
            start = try eraser.nextImage(after: structure.end)
        }
        return eraser.bytes
    }

    private func structure(from start: Int) throws(ImageCodecError) -> JPEGStructure {
        let result = bytes.withUnsafeBytes { all -> Result<JPEGStructure, ImageCodecError> in
            do throws(ImageCodecError) {
                return .success(try JPEGStructure(ByteReader(all), from: start))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// The offset of the next image in the file: that of a gain map or of another entry of an index.
    ///
    /// Other bytes after an image are kept, but not a video, which may contain a location, too.
    private func nextImage(after end: Int) throws(ImageCodecError) -> Int? {
        let (next, hasVideo) = bytes.withUnsafeBytes { all -> (Int?, Bool) in
            guard let rest = ByteReader(all).slice(at: end, count: all.count - end) else {
                return (nil, false)
            }
            let next = Self.image(in: rest)
            let gap = rest.slice(at: 0, count: next ?? rest.count) ?? rest
            return (next.map { $0 + end }, gap.offset(of: "ftyp") != nil)
        }
        if hasVideo { throw .unsupported("removing the location of a JPEG with a video after it") }
        return next
    }

    private static func image(in rest: ByteReader) -> Int? {
        var offset = 0
        while let found = rest.offset(of: 0xFF, from: offset) {
            if rest.uint8(at: found + 1) == 0xD8, rest.uint8(at: found + 2) == 0xFF { return found }
            offset = found + 1
        }
        return nil
    }

    private mutating func erase(_ structure: JPEGStructure) throws(ImageCodecError) {
        var extended: [JPEGStructure.Segment] = []
        for segment in structure.segments where segment.isMetadata {
            let body = Array(bytes[segment.body..<segment.end])
            switch segment.code {
            case 0xE1 where Self.has("Exif\0\0", body):
                try replace(segment.body + 6, with: Self.tiff(Array(body.dropFirst(6)), depth: depth))
            case 0xE1 where Self.has("http://ns.adobe.com/xap/1.0/\0", body):
                let packet = Array(body.dropFirst(29))
                try replace(
                    segment.body + 29, with: XMPEraser.erased(packet, where: XMPEraser.isLocation).bytes)
            case 0xE1 where Self.has(Self.extensionPrefix, body): extended.append(segment)
            case 0xEB:
                guard !XMPEraser.mentionsLocation(body) else {
                    throw .unsupported("removing the location of a JPEG with content credentials")
                }
            default: break
            }
        }
        try erase(extended: extended)
    }

    private static let extensionPrefix: StaticString = "http://ns.adobe.com/xmp/extension/\0"

    /// A property may begin in one part and end in the next, so the parts are joined in their order.
    private mutating func erase(extended: [JPEGStructure.Segment]) throws(ImageCodecError) {
        let head = Self.extensionPrefix.utf8CodeUnitCount
        func key(_ segment: JPEGStructure.Segment) -> (String, Int) {
            let body = Array(bytes[segment.body..<segment.end].dropFirst(head))
            let offset = body.withUnsafeBytes { ByteReader($0).uint32(at: 36, bigEndian: true) } ?? 0
            return (String(latin1: body.prefix(32)), offset)
        }
        let parts = extended.map { (segment: $0, key: key($0)) }.sorted { $0.key < $1.key }
        let ranges = parts.map { part in
            min(part.segment.body + head + Self.extendedHeadBytes, part.segment.end)..<part.segment.end
        }
        let joined = ranges.flatMap { bytes[$0] }
        let erased = try XMPEraser.erased(joined, where: XMPEraser.isLocation)
        guard erased.hasErased else { return }
        var offset = 0
        for range in ranges {
            replace(range.lowerBound, with: Array(erased.bytes[offset..<offset + range.count]))
            offset += range.count
        }
    }

    private static func tiff(_ block: [UInt8], depth: Int) throws(ImageCodecError) -> [UInt8] {
        guard var editor = TIFFEditor(block) else { return block }
        if depth < maximumDepth {
            for range in editor.thumbnails() {
                // A thumbnail that is no complete JPEG is overwritten: it cannot be examined.
                let thumbnail = Array(editor.bytes[range])
                let erased = try? erased(thumbnail, depth: depth + 1)
                editor.replace(range, with: erased ?? [UInt8](repeating: 0, count: range.count))
            }
        }
        try editor.removeLocation()
        return editor.bytes
    }

    private mutating func replace(_ start: Int, with content: [UInt8]) {
        bytes.replaceSubrange(start..<start + content.count, with: content)
    }

    private static func has(_ prefix: StaticString, _ body: [UInt8]) -> Bool {
        body.withUnsafeBytes { ByteReader($0).has(prefix, at: 0) }
    }
}

extension XMPEraser {
    /// Whether words of a position occur anywhere in the bytes.
    static func mentionsLocation(_ bytes: [UInt8]) -> Bool {
        let lower = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return lower.withUnsafeBytes { all in
            let reader = ByteReader(all)
            return reader.offset(of: "gps") != nil || reader.offset(of: "latitude") != nil
        }
    }
}
