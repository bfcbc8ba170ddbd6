/// What a response's `Cache-Control` asks of a private cache (RFC 9111, 5.2.2; RFC 5861).
///
/// Directives for shared caches (`s-maxage`, `proxy-revalidate`, `private`, `public`) and unknown ones are
/// passed over, and so is `immutable` (RFC 8246), which asks for what is done anyway: nothing is revalidated
/// while it is fresh. Of a directive that is repeated the first counts (RFC 9111, 4.2.1).
package struct CacheDirectives: Sendable, Equatable {
    package var noStore = false
    /// Also where it names fields: most caches take that for the whole response, as RFC 9111, 5.2.2.4 notes.
    package var noCache = false
    package var mustRevalidate = false
    /// Seconds; 0 where something else stands there, so that the response counts as stale (RFC 9111, 4.2.1).
    package var maxAge: UInt32?
    /// Seconds; what is no number allows nothing.
    package var staleWhileRevalidate: UInt32?
    /// Seconds; what is no number allows nothing.
    package var staleIfError: UInt32?

    package init() {}

    /// Reads the field's value, lines joined by commas.
    package init(_ field: String) {
        var reader = DirectiveReader(field)
        var seen: Set<String> = []
        while let (name, argument) = reader.next() {
            guard seen.insert(name).inserted else { continue }
            switch name {
            case "no-store": noStore = true
            case "no-cache": noCache = true
            case "must-revalidate": mustRevalidate = true
            case "max-age": maxAge = DeltaSeconds.read(argument) ?? 0
            case "stale-while-revalidate": staleWhileRevalidate = DeltaSeconds.read(argument)
            case "stale-if-error": staleIfError = DeltaSeconds.read(argument)
            default: break
            }
        }
    }
}

/// A time in whole seconds (RFC 9111, 1.2.2).
enum DeltaSeconds {
    /// What a larger number, however long, is taken for.
    static let most: UInt32 = 1 << 31

    static func read(_ text: String) -> UInt32? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(UInt32(text) ?? most, most)
    }
}

/// Takes a list of directives apart: a token each, perhaps with `=` and a token or a quoted
/// string (RFC 9111, 5.2).
private struct DirectiveReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    /// The next directive, its name in small letters, its argument unquoted; nil at the end.
    mutating func next() -> (name: String, argument: String)? {
        while !rest.isEmpty {
            let member = takeMember()
            let parts = member.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.trimmed(parts[0])
            guard !name.isEmpty, name.allSatisfy(RequestFields.isTokenByte) else { continue }
            let argument = parts.count > 1 ? Self.unquoted(Self.trimmed(parts[1])) : ""
            return (String(decoding: name, as: UTF8.self).lowercased(), argument)
        }
        return nil
    }

    /// Takes all up to the next comma that no quotes hold.
    private mutating func takeMember() -> [UInt8] {
        var member: [UInt8] = []
        var (isQuoted, isEscaped) = (false, false)
        while let byte = rest.popFirst() {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                break
            }
            member.append(byte)
        }
        return member
    }

    private static func trimmed(_ bytes: some BidirectionalCollection<UInt8>) -> [UInt8] {
        let isBlank = { (byte: UInt8) in byte == 32 || byte == 9 }
        let start = bytes.drop(while: isBlank)
        return Array(start.reversed().drop(while: isBlank).reversed())
    }

    private static func unquoted(_ bytes: [UInt8]) -> String {
        let quote = UInt8(ascii: "\"")
        guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else {
            return String(decoding: bytes, as: UTF8.self)
        }
        var (plain, isEscaped) = ([UInt8](), false)
        for byte in bytes.dropFirst().dropLast() {
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            if !isEscaped { plain.append(byte) }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
