/// The attributes of the root element that determine the size of an image.
///
/// Reads the part of XML 1.0 that precedes the root element (production 22, `prolog`) and its start tag, in
/// UTF-8, in encodings that extend ASCII, and in UTF-16 with a byte order mark. Everything else is left to
/// librsvg.
struct SVGRoot: Equatable {
    var width: String?
    var height: String?
    var viewBox: String?

    enum Search: Equatable {
        case root(SVGRoot)
        /// The bytes end before the start tag does.
        case incomplete
        /// The bytes are not XML, or the root element is another one.
        case none
    }

    static func find(in bytes: Slice<UnsafeRawBufferPointer>) -> Search {
        guard let text = textOfUTF16(bytes) else {
            var scanner = XMLScanner(bytes)
            return scanner.root()
        }
        return text.withUnsafeBytes { bytes in
            var scanner = XMLScanner(bytes[...])
            return scanner.root()
        }
    }

    /// UTF-16 as UTF-8; nil without a byte order mark.
    private static func textOfUTF16(_ bytes: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
        guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]) else { return nil }
        let all = UnsafeRawBufferPointer(rebasing: bytes)
        let units = (1..<all.count / 2).map { index in
            let unit = all.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
            return isBigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit)
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}

private struct XMLScanner {
    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ bytes: Slice<UnsafeRawBufferPointer>) {
        rest = bytes
        _ = skip([0xEF, 0xBB, 0xBF])
    }

    mutating func root() -> SVGRoot.Search {
        while true {
            skipSpace()
            if skip(Array("<?".utf8)) {
                guard skipPast("?>") else { return .incomplete }
            } else if skip(Array("<!--".utf8)) {
                guard skipPast("-->") else { return .incomplete }
            } else if skip(Array("<!DOCTYPE".utf8)) {
                guard skipDeclaration() else { return .incomplete }
            } else if skip(Array("<".utf8)) {
                return startTag()
            } else {
                return rest.isEmpty ? .incomplete : .none
            }
        }
    }

    private mutating func startTag() -> SVGRoot.Search {
        let name = takeName()
        guard !rest.isEmpty else { return .incomplete }
        guard name == "svg" || name.hasSuffix(":svg") else { return .none }
        var root = SVGRoot()
        while true {
            skipSpace()
            guard let next = rest.first else { return .incomplete }
            if next == UInt8(ascii: ">") || next == UInt8(ascii: "/") { return .root(root) }
            let name = takeName()
            skipSpace()
            guard !name.isEmpty, skip(Array("=".utf8)) else { return rest.isEmpty ? .incomplete : .none }
            skipSpace()
            guard let value = takeValue() else { return .incomplete }
            switch name {
            case "width": root.width = value
            case "height": root.height = value
            case "viewBox": root.viewBox = value
            default: break
            }
        }
    }

    /// A document type with its declarations, which may contain quoted text and comments.
    private mutating func skipDeclaration() -> Bool {
        var depth = 0
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let end = rest.firstIndex(of: byte) else { return false }
                rest = rest[rest.index(after: end)...]
            case UInt8(ascii: "<"):
                if skip(Array("!--".utf8)) { guard skipPast("-->") else { return false } }
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0: return true
            default: break
            }
        }
        return false
    }

    private mutating func takeName() -> String {
        let name = rest.prefix {
            !Self.isSpace($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/")
        }
        rest = rest[name.endIndex...]
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func takeValue() -> String? {
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return nil
        }
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: quote) else { return nil }
        let value = String(decoding: rest[..<end], as: UTF8.self)
        rest = rest[rest.index(after: end)...]
        return value
    }

    private mutating func skipSpace() {
        rest = rest.drop(while: Self.isSpace)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private mutating func skip(_ text: [UInt8]) -> Bool {
        guard rest.starts(with: text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    private mutating func skipPast(_ text: String) -> Bool {
        let text = Array(text.utf8)
        while let start = rest.firstIndex(of: text[0]) {
            rest = rest[start...]
            if skip(text) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
