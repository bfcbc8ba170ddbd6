/// Divides an XML document in UTF-8 into tags and texts.
///
/// Comments and processing instructions are skipped. Document type declarations are refused, so that the only
/// entities are XML's five and numbers. The time is linear in the bytes.
struct XMLTokens {
    enum Token {
        case start(Tag)
        case end(ByteReader)
        /// `isLiteral` is true in a CDATA section, where `&` has no meaning.
        case text(ByteReader, isLiteral: Bool)
    }

    struct Tag {
        let name: ByteReader
        var attributes: [(name: ByteReader, value: ByteReader)] = []
        /// Whether the tag is also the end of its element.
        var isEmpty = false
    }

    /// Packets of raw converters have some hundreds in one tag.
    private static let maximumAttributes = 4_096
    private static let malformed = ImageCodecError.corrupt("malformed XML")

    private let bytes: ByteReader
    private var offset = 0

    init(_ bytes: ByteReader) { self.bytes = bytes }

    /// The next token; nil at the end. Throws `corrupt`.
    mutating func next() throws(ImageCodecError) -> Token? {
        while offset < bytes.count {
            guard bytes.has("<", at: offset) else {
                return .text(
                    try part(to: bytes.offset(of: 0x3C, from: offset) ?? bytes.count), isLiteral: false)
            }
            if bytes.has("<?", at: offset) {
                _ = try part(through: "?>")
            } else if bytes.has("<!--", at: offset) {
                offset += 4
                _ = try part(through: "-->")
            } else if bytes.has("<![CDATA[", at: offset) {
                offset += 9
                return .text(try part(through: "]]>"), isLiteral: true)
            } else if bytes.has("</", at: offset) {
                offset += 2
                let name = try name()
                skipSpace()
                guard bytes.has(">", at: offset) else { throw Self.malformed }
                offset += 1
                return .end(name)
            } else {
                offset += 1
                return .start(try tag())
            }
        }
        return nil
    }

    private mutating func tag() throws(ImageCodecError) -> Tag {
        var tag = Tag(name: try name())
        while true {
            skipSpace()
            if bytes.has(">", at: offset) || bytes.has("/>", at: offset) {
                tag.isEmpty = bytes.has("/", at: offset)
                offset += tag.isEmpty ? 2 : 1
                return tag
            }
            let name = try name()
            skipSpace()
            guard bytes.has("=", at: offset), tag.attributes.count < Self.maximumAttributes else {
                throw Self.malformed
            }
            offset += 1
            skipSpace()
            guard let quote = bytes.uint8(at: offset), quote == 0x22 || quote == 0x27,
                let end = bytes.offset(of: UInt8(quote), from: offset + 1)
            else { throw Self.malformed }
            offset += 1
            tag.attributes.append((name, try part(to: end)))
            offset += 1
        }
    }

    /// Throws for a name without characters, as after `<!`.
    private mutating func name() throws(ImageCodecError) -> ByteReader {
        let delimiters: StaticString = "=/<>\"'!? \t\r\n"
        var end = offset
        while let byte = bytes.uint8(at: end), !Self.contains(delimiters, byte) { end += 1 }
        guard end > offset else { throw Self.malformed }
        return try part(to: end)
    }

    private mutating func skipSpace() {
        while let byte = bytes.uint8(at: offset), Self.contains(" \t\r\n", byte) { offset += 1 }
    }

    private mutating func part(to end: Int) throws(ImageCodecError) -> ByteReader {
        guard let part = bytes.slice(at: offset, count: end - offset) else { throw Self.malformed }
        offset = end
        return part
    }

    /// The bytes before `end`, which is skipped.
    private mutating func part(through end: StaticString) throws(ImageCodecError) -> ByteReader {
        guard let place = bytes.offset(of: end, from: offset) else { throw Self.malformed }
        let part = try part(to: place)
        offset += end.utf8CodeUnitCount
        return part
    }

    private static func contains(_ set: StaticString, _ byte: Int) -> Bool {
        UnsafeBufferPointer(start: set.utf8Start, count: set.utf8CodeUnitCount).contains { Int($0) == byte }
    }
}

/// Texts of XML with and without references (XML 1.0, section 4.1).
enum XMLText {
    private static let entities: [(StaticString, UInt8)] = [
        ("amp;", 0x26), ("lt;", 0x3C), ("gt;", 0x3E), ("quot;", 0x22), ("apos;", 0x27),
    ]
    /// The longest reference, `&#x10FFFF;`, with room for some zeros.
    private static let referenceBytes = 16

    /// Appends `text` with characters in place of references, until `output` has at least `limit` bytes.
    static func append(
        _ text: ByteReader, isLiteral: Bool = false, to output: inout [UInt8], limit: Int
    ) throws(ImageCodecError) {
        var offset = 0
        while output.count < limit, offset < text.count {
            let end = isLiteral ? text.count : text.offset(of: UInt8(ascii: "&"), from: offset) ?? text.count
            if end > offset {
                output += text.bytes[offset..<min(end, offset + limit - output.count)]
                offset = end
            } else {
                offset += 1
                output += try character(in: text, at: &offset)
            }
        }
    }

    /// The bytes of a reference after its `&`.
    private static func character(
        in text: ByteReader, at offset: inout Int
    ) throws(ImageCodecError) -> [UInt8] {
        if let entity = entities.first(where: { text.has($0.0, at: offset) }) {
            offset += entity.0.utf8CodeUnitCount
            return [entity.1]
        }
        guard let end = text.offset(of: UInt8(ascii: ";"), from: offset), end - offset <= referenceBytes,
            let scalar = text.slice(at: offset, count: end - offset).flatMap(scalar)
        else { throw .corrupt("a malformed reference in XML") }
        offset = end + 1
        return Array(String(scalar).utf8)
    }

    /// The character of `#65` or `#x41`.
    private static func scalar(of reference: ByteReader) -> Unicode.Scalar? {
        let isHexadecimal = reference.has("#x", at: 0)
        guard let digits = isHexadecimal ? reference.after("#x") : reference.after("#") else { return nil }
        return UInt32(String(decoding: digits.bytes, as: UTF8.self), radix: isHexadecimal ? 16 : 10)
            .flatMap(Unicode.Scalar.init)
    }

    /// The text with references for the characters of markup, without those that XML 1.0 does not allow.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // Parsers make a line feed of the plain character.
            case "\r": result += "&#13;"
            case "\0"..<"\t", "\u{B}"..<" ", "\u{FFFE}"..."\u{FFFF}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
