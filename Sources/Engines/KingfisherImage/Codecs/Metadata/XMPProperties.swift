/// The texts of some properties of one namespace, read from the serialization of XMP in RDF (ISO 16684-1,
/// section 7).
///
/// Reads attributes and elements of the descriptions at the top; an element has a text or a list. Structures,
/// such as ingredients, may have properties of these names for other resources, which do not count.
struct XMPProperties {
    struct Value: Hashable {
        /// The tag of RFC 5646, or `x-default`.
        var language = XMPProperties.defaultLanguage
        let text: String
    }

    /// The index of a property in `names`.
    private typealias Field = Int

    /// What an element is by its name and its place.
    private enum Role {
        case outside, root, description, property(Field), list(Field), item(Field), other
    }

    private enum Space { case rdf, wanted, other }

    private struct Element {
        let name: ByteReader
        let role: Role
        let language: String
        /// The number of prefixes that are declared around the element.
        let prefixes: Int
    }

    private static let maximumDepth = 64
    /// Packets declare each of the two namespaces once.
    private static let maximumPrefixes = 16
    static let defaultLanguage = "x-default"

    private let namespace: StaticString
    private let names: [String]
    private var tokens: XMLTokens
    private var open: [Element] = []
    private var prefixes: [(prefix: ByteReader?, space: Space)] = []
    private var text: [UInt8] = []
    private var found: [[Value]]

    /// Reads the properties with `names` of `namespace` in a packet of UTF-8.
    init(_ packet: ByteReader, of namespace: StaticString, names: [String]) {
        (self.namespace, self.names) = (namespace, names)
        tokens = XMLTokens(packet)
        found = names.map { _ in [] }
    }

    /// The values of each of the names, at most `ImageMetadata.maximumKeywords`. Throws `corrupt`.
    func values() throws(ImageCodecError) -> [[Value]] {
        var reader = self
        return try reader.read()
    }

    private mutating func read() throws(ImageCodecError) -> [[Value]] {
        while let token = try tokens.next() {
            switch token {
            case .start(let tag): try start(tag)
            case .end(let name): try end(name)
            case .text(let content, let isLiteral):
                if case .property? = open.last?.role { try take(content, isLiteral) }
                if case .item? = open.last?.role { try take(content, isLiteral) }
            }
        }
        guard open.isEmpty else { throw .corrupt("XML without an end") }
        return found
    }

    private mutating func start(_ tag: XMLTokens.Tag) throws(ImageCodecError) {
        let outer = prefixes.count
        try declarePrefixes(of: tag)
        let role = role(of: tag.name)
        var language = Self.defaultLanguage
        for attribute in tag.attributes {
            if attribute.name.equals("xml:lang") { language = Self.language(attribute.value) }
            if case .description = role, let field = field(attribute.name, isAttribute: true) {
                try take(attribute.value, false)
                keep(field, Self.defaultLanguage)
            }
        }
        guard !tag.isEmpty else { return prefixes.removeSubrange(outer...) }
        guard open.count < Self.maximumDepth else { throw .corrupt("nested XML") }
        open.append(Element(name: tag.name, role: role, language: language, prefixes: outer))
        if case .item = role { text = [] }
    }

    private mutating func end(_ name: ByteReader) throws(ImageCodecError) {
        guard let element = open.popLast(), element.name.equals(name) else {
            throw .corrupt("an end of another element")
        }
        prefixes.removeSubrange(min(element.prefixes, prefixes.count)...)
        switch element.role {
        case .property(let field), .item(let field): keep(field, element.language)
        default: break
        }
    }

    private func role(of name: ByteReader) -> Role {
        let (space, local) = resolved(name, isAttribute: false)
        switch open.last?.role ?? .outside {
        case .outside: return space == .rdf && local.equals("RDF") ? .root : .outside
        case .root: return space == .rdf && local.equals("Description") ? .description : .other
        case .description: return field(name, isAttribute: false).map { .property($0) } ?? .other
        case .property(let field):
            let isList = space == .rdf && (local.equals("Seq") || local.equals("Bag") || local.equals("Alt"))
            return isList ? .list(field) : .other
        case .list(let field): return space == .rdf && local.equals("li") ? .item(field) : .other
        case .item, .other: return .other
        }
    }

    private func field(_ name: ByteReader, isAttribute: Bool) -> Field? {
        let (space, local) = resolved(name, isAttribute: isAttribute)
        return space == .wanted ? names.firstIndex { local.bytes.elementsEqual($0.utf8) } : nil
    }

    // MARK: Namespaces

    private mutating func declarePrefixes(of tag: XMLTokens.Tag) throws(ImageCodecError) {
        for attribute in tag.attributes {
            let prefix = attribute.name.after("xmlns:")
            guard prefix != nil || attribute.name.equals("xmlns") else { continue }
            let space: Space =
                if attribute.value.equals("http://www.w3.org/1999/02/22-rdf-syntax-ns#") {
                    .rdf
                } else if attribute.value.equals(namespace) {
                    .wanted
                } else {
                    .other
                }
            // Other namespaces matter only if they hide one of the two.
            guard space != self.space(of: prefix) else { continue }
            guard prefixes.count < Self.maximumPrefixes else { throw .corrupt("too many XML namespaces") }
            prefixes.append((prefix, space))
        }
    }

    private func resolved(_ name: ByteReader, isAttribute: Bool) -> (Space, local: ByteReader) {
        guard let colon = name.offset(of: UInt8(ascii: ":"), from: 0),
            let prefix = name.slice(at: 0, count: colon),
            let local = name.slice(at: colon + 1, count: name.count - colon - 1)
        else { return (isAttribute ? .other : space(of: nil), name) }
        return (space(of: prefix), local)
    }

    private func space(of prefix: ByteReader?) -> Space {
        prefixes.last { declared in
            guard let prefix, let own = declared.prefix else {
                return prefix == nil && declared.prefix == nil
            }
            return own.equals(prefix)
        }?.space ?? .other
    }

    // MARK: Values

    private mutating func take(_ content: ByteReader, _ isLiteral: Bool) throws(ImageCodecError) {
        // One byte above the limit tells that there was more.
        let limit = ImageMetadata.maximumTextBytes + 1
        try XMLText.append(content, isLiteral: isLiteral, to: &text, limit: limit)
    }

    private mutating func keep(_ field: Field, _ language: String) {
        let content = Array(text.drop(while: Self.isSpace))
        text = []
        guard let value = content.withUnsafeBytes({ String(metadata: ByteReader($0)) }) else { return }
        guard found[field].count < ImageMetadata.maximumKeywords else { return }
        found[field].append(Value(language: language, text: value))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Letters, digits and hyphens, so that the tag needs no escaping.
    private static func language(_ value: ByteReader) -> String {
        let letters = value.bytes.prefix(65)
        let isTag =
            !letters.isEmpty && letters.count <= 64
            && letters.allSatisfy { byte in
                (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x2D
            }
        return isTag ? String(decoding: letters, as: UTF8.self) : defaultLanguage
    }
}

extension ByteReader {
    fileprivate func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && has(text, at: 0)
    }

    fileprivate func equals(_ other: ByteReader) -> Bool {
        count == other.count && bytes.elementsEqual(other.bytes)
    }
}
