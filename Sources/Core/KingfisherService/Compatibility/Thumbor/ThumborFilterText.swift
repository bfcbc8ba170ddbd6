/// A filter as in a URL: a name and arguments.
struct ThumborFilterText: Hashable {
    let name: Substring
    /// Separated by commas, decoded, without spaces around them; none for `name()`.
    let arguments: [String]

    /// The filters of `filters:a(…):b(…)/rest`, and the rest; no filters if the path begins otherwise.
    static func all(before rest: Substring) throws(ServiceError) -> ([ThumborFilterText], Substring) {
        guard rest.utf8.starts(with: "filters:".utf8) else { return ([], rest) }
        var filters: [ThumborFilterText] = []
        var rest = rest
        repeat {
            // "filters:" at first, ":" between filters.
            guard let (_, after) = rest.divided(at: ":") else { throw malformed }
            let (filter, next) = try first(of: after)
            filters.append(filter)
            rest = next
        } while rest.utf8.first == UInt8(ascii: ":")
        guard rest.utf8.first == UInt8(ascii: "/") else { throw malformed }
        return (filters, Substring(rest.utf8.dropFirst()))
    }

    /// A filter until its balanced parenthesis, and what follows.
    private static func first(of text: Substring) throws(ServiceError) -> (ThumborFilterText, Substring) {
        let bytes = text.utf8
        guard let open = bytes.firstIndex(of: UInt8(ascii: "(")),
            Substring(bytes[..<open]).asName == text[..<open]
        else { throw malformed }
        var depth = 0
        var index = open
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "(") { depth += 1 }
            if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
            let after = bytes.index(after: index)
            if depth == 0 {
                let inner = Substring(bytes[bytes.index(after: open)..<index])
                let filter = try ThumborFilterText(Substring(bytes[..<open]), inner)
                return (filter, Substring(bytes[after...]))
            }
            index = after
        }
        throw malformed
    }

    private init(_ name: Substring, _ text: Substring) throws(ServiceError) {
        self.name = name
        var arguments: [String] = []
        for argument in text.isEmpty ? [] : text.pieces(separatedBy: ",") {
            do {
                arguments.append(Self.trimmed(try PercentEncoding.decode(argument)))
            } catch {
                throw .invalid(name.asName, expected: "percent-encoded arguments")
            }
        }
        self.arguments = arguments
    }

    private static func trimmed(_ text: String) -> String {
        var bytes = text.utf8[...]
        while bytes.first == UInt8(ascii: " ") { bytes.removeFirst() }
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        return String(Substring(bytes))
    }

    private static let malformed = ServiceError.invalid(
        "filters", expected: "NAME(ARGUMENTS), separated by colons, then a slash")
}
