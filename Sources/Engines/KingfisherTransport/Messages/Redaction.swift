extension String {
    /// A URL, or a text that may contain one, without user names and passwords.
    ///
    /// Parsers disagree about where user info is (RFC 3986, the URL Standard of WHATWG, curl), so everything
    /// is removed that one of them may read as such: after any number of slashes and backslashes, after
    /// `http:` without slashes, behind tabs and line breaks, in a segment of the path with a colon before an
    /// `@`, and before the last `@` if the host is empty or its port is not a number. If the text has only an
    /// `@` in another spelling, percent-encoded or full-width, such a host and port are removed.
    package var withoutUserInfo: String { withoutUserInfo(spaceEndsURL: false) }

    /// - Parameter spaceEndsURL: Whether the text is prose, in which a space or a quotation mark ends a URL.
    package func withoutUserInfo(spaceEndsURL: Bool) -> String {
        // Searching for text is slow, and few URLs have these bytes.
        guard utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "%") || $0 >= 0x80 })
        else {
            return self
        }
        guard utf8.contains(UInt8(ascii: "@")) || contains("%40") || contains("\u{FF20}") else { return self }
        var redaction = Redaction(Array(utf8), spaceEndsURL: spaceEndsURL)
        redaction.run()
        return String(decoding: redaction.result, as: UTF8.self)
    }
}

private struct Redaction {
    private(set) var result: [UInt8] = []
    private let bytes: [UInt8]
    private let spaceEndsURL: Bool
    private var index = 0
    /// The end of the path of the URL at `index`.
    private var pathEnd = 0

    /// Schemes after which some parsers read a host without slashes before it.
    private static let hostSchemes: Set = ["http", "https", "ws", "wss", "ftp"]

    init(_ bytes: [UInt8], spaceEndsURL: Bool) {
        (self.bytes, self.spaceEndsURL) = (bytes, spaceEndsURL)
    }

    mutating func run() {
        if !spaceEndsURL { removeUserInfo(afterColonAt: nil) }
        while index < bytes.count {
            let byte = bytes[index]
            result.append(byte)
            index += 1
            if byte == UInt8(ascii: ":") {
                removeUserInfo(afterColonAt: index - 1)
            } else if index < pathEnd, byte.isSlash {
                removeUserInfoOfSegment()
            }
        }
    }

    /// Removes the user info of the URL whose scheme ends at `colon`; nil for one without a scheme.
    private mutating func removeUserInfo(afterColonAt colon: Int?) {
        let gap = bytes[index...].prefix { $0.isSlash || !spaceEndsURL && $0 <= 0x20 }
        let slashes = gap.count(where: \.isSlash)
        let scheme = colon.map(schemeBefore) ?? ""
        // No parser reads a host from a file URL with three slashes.
        guard slashes >= 2 && !(scheme == "file" && slashes > 2) || Self.hostSchemes.contains(scheme) else {
            return
        }
        let url = bytes[gap.endIndex...].prefix { !spaceEndsURL || $0 > 0x20 && $0 != UInt8(ascii: "\"") }
        let start = Self.userInfoEnd(of: url)
        result += gap
        index = start
        pathEnd = url[start...].firstIndex { $0.startsQuery } ?? url.endIndex
    }

    /// The index after the user info of a URL without its scheme and slashes.
    private static func userInfoEnd(of url: ArraySlice<UInt8>) -> Int {
        let authority = url.prefix { $0 != UInt8(ascii: "/") && !$0.startsQuery }
        if let sign = authority.lastIndex(of: UInt8(ascii: "@")) { return sign + 1 }
        let host = authority.prefix { !$0.isSlash }
        guard host.isEmpty || hasMalformedPort(host) else { return url.startIndex }
        return url.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? host.endIndex
    }

    private static func hasMalformedPort(_ host: ArraySlice<UInt8>) -> Bool {
        let name = host.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
        guard let colon = host[name...].firstIndex(of: UInt8(ascii: ":")) else { return false }
        let port = host[(colon + 1)...]
        let isNumber = port.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return !isNumber || !port.isEmpty && UInt16(String(decoding: port, as: UTF8.self)) == nil
    }

    private mutating func removeUserInfoOfSegment() {
        let segment = bytes[index..<pathEnd].prefix { !$0.isSlash }
        if let sign = segment.lastIndex(of: UInt8(ascii: "@")),
            segment[..<sign].contains(UInt8(ascii: ":"))
        {
            index = sign + 1
        }
    }

    /// The scheme in lower case, without the tabs and line breaks that some parsers remove.
    private func schemeBefore(_ colon: Int) -> String {
        let letters = bytes[..<colon].reversed().lazy.filter { !$0.isTabOrBreak }.prefix { $0.isOfScheme }
        return String(decoding: letters.reversed(), as: UTF8.self).lowercased()
    }
}

extension UInt8 {
    fileprivate var isSlash: Bool { self == UInt8(ascii: "/") || self == UInt8(ascii: "\\") }
    fileprivate var startsQuery: Bool { self == UInt8(ascii: "?") || self == UInt8(ascii: "#") }
    fileprivate var isTabOrBreak: Bool { self == 0x09 || self == 0x0A || self == 0x0D }
    fileprivate var isOfScheme: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
