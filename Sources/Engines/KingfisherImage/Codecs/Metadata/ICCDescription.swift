/// The description and the code points of an ICC profile (ICC.1:2022 and ICC.1:2001-04).
struct ICCDescription {
    let name: String?
    let codePoints: ImageMetadata.CodePoints?

    private static let headBytes = 128
    /// Real profiles have about twenty tags.
    private static let maximumTags = 200
    private static let maximumTranslations = 200

    init(_ profile: ByteReader) {
        name = Self.tag("desc", of: profile).flatMap(Self.text)
        codePoints = Self.tag("cicp", of: profile)
            .flatMap { $0.has("cicp", at: 0) ? $0.slice(at: 8, count: 4) : nil }
            .flatMap { ImageMetadata.CodePoints($0) }
    }

    private static func tag(_ name: StaticString, of profile: ByteReader) -> ByteReader? {
        guard let count = profile.uint32(at: headBytes, bigEndian: true) else { return nil }
        for index in 0..<min(count, maximumTags) {
            let entry = headBytes + 4 + index * 12
            guard profile.has(name, at: entry), let offset = profile.uint32(at: entry + 4, bigEndian: true),
                let length = profile.uint32(at: entry + 8, bigEndian: true)
            else { continue }
            return profile.slice(at: offset, count: length)
        }
        return nil
    }

    /// Version 2 has one ASCII text; version 4 has UTF-16 in several languages.
    private static func text(_ tag: ByteReader) -> String? {
        if tag.has("desc", at: 0) {
            return tag.uint32(at: 8, bigEndian: true).flatMap { tag.slice(at: 12, count: $0) }
                .flatMap { String(metadata: $0) }
        }
        guard tag.has("mluc", at: 0), let count = tag.uint32(at: 8, bigEndian: true),
            let size = tag.uint32(at: 12, bigEndian: true), size >= 12
        else { return nil }
        let places = (0..<min(count, maximumTranslations)).map { 16 + $0 * size }
        guard let record = places.first(where: { tag.has("en", at: $0) }) ?? places.first,
            let length = tag.uint32(at: record + 4, bigEndian: true),
            let offset = tag.uint32(at: record + 8, bigEndian: true)
        else { return nil }
        return tag.slice(at: offset, count: length).flatMap(utf16)
    }

    private static func utf16(_ bytes: ByteReader) -> String? {
        let units = (0..<min(bytes.count, ImageMetadata.maximumTextBytes) / 2).compactMap {
            bytes.uint16(at: $0 * 2, bigEndian: true).map { UInt16($0) }
        }
        let text = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
        return text.isEmpty ? nil : text
    }
}
