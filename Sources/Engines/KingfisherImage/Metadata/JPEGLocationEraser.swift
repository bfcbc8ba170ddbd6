import Foundation

/// Overwrites the coordinates in a file of one or more JPEG images, in place.
///
/// Every segment of application data, every comment, and the bytes between and after the images are examined.
struct JPEGLocationEraser {
    private var bytes: [UInt8]
    /// 0 for a file, 1 for its thumbnail.
    private let depth: Int

    private enum Content {
        case exif, packet, partOfPacket, resources, profile, credentials, unknown
    }

    private static let heads: [(code: Int, prefix: StaticString, content: Content)] = [
        (0xE1, "Exif\0\0", .exif), (0xE1, JPEGMetadataParts.xmpPrefix, .packet),
        (0xE1, ExtendedXMP.prefix, .partOfPacket), (0xE2, "ICC_PROFILE\0", .profile),
        (0xEB, "", .credentials), (0xED, JPEGMetadataParts.photoshopPrefix, .resources),
    ]

    static func applied(to file: Data) throws(ImageCodecError) -> Data {
        Data(try erased([UInt8](file), depth: 0))
    }

    static func erased(_ file: [UInt8], depth: Int) throws(ImageCodecError) -> [UInt8] {
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

    /// The offset of the next image in the file: a gain map, or another entry of an index.
    ///
    /// The bytes before it are examined as a segment is. A video may contain a location and is refused.
    private mutating func nextImage(after end: Int) throws(ImageCodecError) -> Int? {
        let (next, hasVideo) = bytes.withUnsafeBytes { all -> (Int?, Bool) in
            guard let rest = ByteReader(all).slice(at: end, count: all.count - end) else {
                return (nil, false)
            }
            let next = Self.image(in: rest)
            let gap = rest.slice(at: 0, count: next ?? rest.count) ?? rest
            return (next.map { $0 + end }, gap.offset(of: "ftyp") != nil)
        }
        if hasVideo { throw .unsupported("removing the location of a JPEG with a video after it") }
        eraseUnknown(end..<(next ?? bytes.count))
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

    // MARK: Segments

    private mutating func erase(_ structure: JPEGStructure) throws(ImageCodecError) {
        var exif: [[Range<Int>]] = []
        var partsOfPackets: [Range<Int>] = []
        var resources: [Range<Int>] = []
        for segment in structure.segments where segment.isMetadata {
            let (content, range) = content(of: segment)
            switch content {
            case .exif:
                // Blocks above 64 KiB continue in the next segment.
                if exif.isEmpty || TIFFEditor(Array(bytes[range])) != nil { exif.append([]) }
                exif[exif.count - 1].append(range)
            case .packet:
                let erased = try XMPEraser.erased(Array(bytes[range]), where: XMPEraser.isLocation)
                replace([range], with: erased.bytes)
            case .partOfPacket: partsOfPackets.append(range)
            case .resources: resources.append(range)
            case .profile: break
            case .credentials:
                guard !LocationEraser.mentionsLocation(Array(bytes[range])) else {
                    throw .unsupported("removing the location of a JPEG with content credentials")
                }
            case .unknown: eraseUnknown(range)
            }
        }
        for block in exif {
            try replace(block, with: LocationEraser.exif(block.flatMap { bytes[$0] }, depth: depth))
        }
        try erase(partsOfPackets: partsOfPackets)
        erase(resources: resources)
    }

    /// What a segment holds, and the bytes after its prefix.
    private func content(of segment: JPEGStructure.Segment) -> (Content, Range<Int>) {
        bytes.withUnsafeBytes { all in
            let data = segment.data(in: ByteReader(all))
            let head = Self.heads.first { $0.code == segment.code && data.has($0.prefix, at: 0) }
            let start = segment.body + (head?.prefix.utf8CodeUnitCount ?? 0)
            return (head?.content ?? .unknown, start..<segment.end)
        }
    }

    /// A property may begin in one part and end in the next, so the parts are joined in their order.
    private mutating func erase(partsOfPackets parts: [Range<Int>]) throws(ImageCodecError) {
        func key(_ part: Range<Int>) -> (String, Int) {
            let head = Array(bytes[part].prefix(ExtendedXMP.headBytes))
            let offset = head.withUnsafeBytes { ExtendedXMP.offset(of: ByteReader($0)) }
            return (String(latin1: head.prefix(ExtendedXMP.identifierBytes)), offset)
        }
        let sorted = parts.map { (range: $0, key: key($0)) }.sorted { $0.key < $1.key }.map(\.range)
        let ranges = sorted.map { min($0.lowerBound + ExtendedXMP.headBytes, $0.upperBound)..<$0.upperBound }
        let erased = try XMPEraser.erased(ranges.flatMap { bytes[$0] }, where: XMPEraser.isLocation)
        if erased.hasErased { replace(ranges, with: erased.bytes) }
    }

    /// Resources may begin in one segment and end in the next. IPTC has names of places only.
    private mutating func erase(resources ranges: [Range<Int>]) {
        var joined = ranges.flatMap { bytes[$0] }
        let resources = joined.withUnsafeBytes { PhotoshopResources(in: ByteReader($0)).ranges }
        let end = resources.last?.data.upperBound ?? 0
        for resource in resources where resource.number != PhotoshopResources.iptcNumber {
            let erased = LocationEraser.unknown(Array(joined[resource.data]), depth: depth)
            joined.replaceSubrange(resource.data, with: erased)
        }
        // Bytes that are no resource.
        joined.replaceSubrange(end..., with: LocationEraser.unknown(Array(joined[end...]), depth: depth))
        replace(ranges, with: joined)
    }

    private mutating func eraseUnknown(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        replace([range], with: LocationEraser.unknown(Array(bytes[range]), depth: depth))
    }

    // MARK: Bytes

    /// Writes `content` into the ranges, one after another; it has their length.
    private mutating func replace(_ ranges: [Range<Int>], with content: [UInt8]) {
        var offset = 0
        for range in ranges {
            bytes.replaceSubrange(range, with: content[offset..<offset + range.count])
            offset += range.count
        }
    }
}
