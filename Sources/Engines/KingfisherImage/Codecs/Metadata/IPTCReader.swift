/// Reads IPTC-IIM 4.2: data sets of a marker, a record, a number and a length.
enum IPTCReader {
    /// The fields of the application record; nil if no field is present.
    static func fields(in bytes: ByteReader) -> ImageMetadata.IPTCFields? {
        var fields = ImageMetadata.IPTCFields()
        var dates: [Int: String] = [:]
        var offset = 0
        // Data after a malformed set is ignored.
        while bytes.uint8(at: offset) == 0x1C, let record = bytes.uint8(at: offset + 1),
            let number = bytes.uint8(at: offset + 2),
            let length = bytes.uint16(at: offset + 3, bigEndian: true)
        {
            // With the high bit, the length itself follows; such sets are objects, not texts.
            guard length < 0x8000, let value = bytes.slice(at: offset + 5, count: length) else { break }
            offset += 5 + length
            guard record == 2, let text = String(metadata: value) else { continue }
            take(number, text, into: &fields)
            if dates[number] == nil { dates[number] = text }
        }
        fields.dateCreated = dates[55].flatMap { ImageMetadata.Moment(iptcDate: $0, time: dates[60]) }
        fields.dateDigitized = dates[62].flatMap { ImageMetadata.Moment(iptcDate: $0, time: dates[63]) }
        return fields == ImageMetadata.IPTCFields() ? nil : fields
    }

    private static func take(_ number: Int, _ text: String, into fields: inout ImageMetadata.IPTCFields) {
        switch number {
        case 5: fields.title = fields.title ?? text
        case 25: if fields.keywords.count < ImageMetadata.maximumKeywords { fields.keywords.append(text) }
        case 80: if fields.bylines.count < ImageMetadata.maximumKeywords { fields.bylines.append(text) }
        case 90: fields.city = fields.city ?? text
        case 101: fields.country = fields.country ?? text
        case 110: fields.credit = fields.credit ?? text
        case 116: fields.copyright = fields.copyright ?? text
        case 120: fields.caption = fields.caption ?? text
        default: break
        }
    }
}

/// Photoshop's image resources: a signature, a number, a name, a length and data, each of even length.
struct PhotoshopResources {
    /// The number of the resource with IPTC-IIM.
    static let iptcNumber = 0x0404

    /// The signatures of Photoshop, and of ImageReady and other programs (exiftool, Photoshop.pm).
    private static let signatures: [StaticString] = ["8BIM", "MeSa", "AgHg", "PHUT", "DCSR"]

    /// The resources before the first malformed one, by the offsets of their data.
    private(set) var ranges: [(number: Int, data: Range<Int>)] = []

    init(in bytes: ByteReader) {
        var offset = 0
        while Self.signatures.contains(where: { bytes.has($0, at: offset) }),
            let number = bytes.uint16(at: offset + 4, bigEndian: true),
            let name = bytes.uint8(at: offset + 6)
        {
            let start = offset + 6 + (name + 2) / 2 * 2
            guard let length = bytes.uint32(at: start, bigEndian: true),
                bytes.slice(at: start + 4, count: length) != nil
            else { return }
            ranges.append((number, start + 4..<start + 4 + length))
            offset = start + 4 + (length + 1) / 2 * 2
        }
    }

    /// The data of the first resource with IPTC-IIM.
    static func iptc(in bytes: ByteReader) -> ByteReader? {
        Self(in: bytes).ranges.first { $0.number == iptcNumber }.flatMap { resource in
            bytes.slice(at: resource.data.lowerBound, count: resource.data.count)
        }
    }
}
