/// One challenge of a `WWW-Authenticate` field (RFC 9110, 11.3), with scheme and parameter names in lower
/// case, and values without quotation marks and escapes.
struct OfferedChallenge: Equatable {
    let scheme: String
    var token68: String?
    var parameters: [String: String] = [:]
}

/// Parses a `WWW-Authenticate` field with any number of challenges. Several fields are joined by commas.
///
/// The field is untrusted: it is parsed up to limits and up to the first error. Challenges that are complete
/// by then count.
struct ChallengeReader {
    static let maxBytes = 16 << 10
    static let maxChallenges = 16
    static let maxParameters = 32

    private let bytes: [UInt8]
    private var index = 0
    private var complete: [OfferedChallenge] = []
    private var current: OfferedChallenge?

    static func read(_ field: String) -> [OfferedChallenge] {
        guard field.utf8.count <= maxBytes else { return [] }
        var reader = ChallengeReader(field)
        reader.run()
        return reader.complete
    }

    private init(_ field: String) {
        bytes = Array(field.utf8)
    }

    private mutating func run() {
        while true {
            skip { $0 == 32 || $0 == 9 || $0 == UInt8(ascii: ",") }
            guard index < bytes.count else { return endChallenge() }
            guard let name = token() else { return }
            let end = index
            skipSpace()
            if current != nil, take(UInt8(ascii: "=")) {
                guard takeParameter(name) else { return }
            } else {
                index = end
                endChallenge()
                guard complete.count < Self.maxChallenges, beginChallenge(name) else { return }
            }
        }
    }

    private mutating func endChallenge() {
        if let challenge = current { complete.append(challenge) }
        current = nil
    }

    private mutating func beginChallenge(_ scheme: String) -> Bool {
        guard index == bytes.count || [32, 9, UInt8(ascii: ",")].contains(bytes[index]) else { return false }
        skipSpace()
        current = OfferedChallenge(scheme: scheme.lowercased(), token68: token68())
        return true
    }

    private mutating func takeParameter(_ name: String) -> Bool {
        skipSpace()
        guard let value = next == UInt8(ascii: "\"") ? quotedString() : token() else { return false }
        skipSpace()
        let name = name.lowercased()
        // RFC 9110, 11.2: each name at most once. With two, it would be unclear which one is meant.
        guard isAtEndOfElement, current?.parameters[name] == nil,
            current?.parameters.count ?? 0 < Self.maxParameters
        else { return false }
        current?.parameters[name] = value
        return true
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private var isAtEndOfElement: Bool { next == nil || next == UInt8(ascii: ",") }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while let byte = next, condition(byte) { index += 1 }
    }

    private mutating func skipSpace() { skip { $0 == 32 || $0 == 9 } }

    private mutating func token() -> String? {
        let start = index
        skip(while: RequestFields.isTokenByte)
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    /// Base64 and similar, up to the end of the element. Consumes nothing if there is something else.
    private mutating func token68() -> String? {
        let start = index
        skip { byte in
            switch byte {
            case 48...57, 65...90, 97...122: true
            default: "-._~+/".utf8.contains(byte)
            }
        }
        let hasText = index > start
        skip { $0 == UInt8(ascii: "=") }
        let end = index
        skipSpace()
        guard hasText, isAtEndOfElement else {
            index = start
            return nil
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private mutating func quotedString() -> String? {
        index += 1
        var text: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = next, escaped >= 32 || escaped == 9, escaped != 127 else { return nil }
                index += 1
                text.append(escaped)
            case 0..<9, 10..<32, 127: return nil
            default: text.append(byte)
            }
        }
        return nil
    }
}
