/// The `Cache-Control` directives of a response that apply to a private cache (RFC 9111, 5.2.2; RFC 5861).
///
/// Directives for shared caches (`s-maxage`, `proxy-revalidate`, `private`, `public`) and unknown ones are
/// ignored; tiers respect `private` (``isPrivate(_:)``). `immutable` (RFC 8246) is ignored as well, because
/// nothing is revalidated while it is fresh anyway. If a directive is repeated, the first one counts (RFC
/// 9111, 4.2.1).
///
/// Times are in seconds. A malformed `max-age` is 0, so that the response counts as stale (RFC 9111, 4.2.1);
/// other malformed times are nil.
package struct CacheDirectives: Sendable, Equatable {
    package var noStore = false
    /// Also true if it names fields: most caches apply that to the whole response, as RFC 9111, 5.2.2.4
    /// notes.
    package var noCache = false
    package var mustRevalidate = false
    package var maxAge: UInt32?
    package var staleWhileRevalidate: UInt32?
    package var staleIfError: UInt32?

    package init() {}

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

extension CacheDirectives {
    /// Whether a `Cache-Control` field has `private`. Also true if it names fields: most caches apply that to
    /// the whole response, as RFC 9111, 5.2.2.7 notes.
    package static func isPrivate(_ field: String) -> Bool {
        var reader = DirectiveReader(field)
        while let (name, _) = reader.next() {
            if name == "private" { return true }
        }
        return false
    }
}

/// A time in whole seconds (RFC 9111, 1.2.2).
enum DeltaSeconds {
    static let most: UInt32 = 1 << 31

    static func read(_ text: String) -> UInt32? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(UInt32(text) ?? most, most)
    }
}

/// Parses a list of directives: tokens, each optionally with `=` and a token or a quoted string (RFC 9111,
/// 5.2).
private struct DirectiveReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

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
