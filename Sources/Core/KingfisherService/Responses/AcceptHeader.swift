/// The media types that a client accepts by name: `Accept` fields, parsed as in RFC 9110, section 12.5.1.
///
/// A name counts if one of its members has a weight above 0. Wildcards are no names, parameters of a media
/// type are ignored, and a member with a malformed weight counts as absent.
public struct AcceptHeader: Hashable, Sendable {
    private let names: Set<String>

    /// Parses the values of all `Accept` fields of a request.
    public init(_ values: [String]) {
        var names: Set<String> = []
        for value in values {
            for member in HeaderText.split(ArraySlice(value.utf8), at: UInt8(ascii: ",")) {
                if let name = Self.acceptedName(member) { names.insert(name) }
            }
        }
        self.names = names
    }

    /// Whether the media type, in lower case and without parameters, is accepted by name.
    public func names(_ mediaType: String) -> Bool { names.contains(mediaType) }

    private static func acceptedName(_ member: ArraySlice<UInt8>) -> String? {
        let parts = HeaderText.split(member, at: UInt8(ascii: ";"))
        guard let first = parts.first, let name = mediaType(HeaderText.trim(first)) else { return nil }
        var isPositive: Bool?
        for part in parts.dropFirst() {
            guard let weight = weight(HeaderText.trim(part)) else { continue }
            // More than one weight is malformed, because at most one may follow the media type.
            guard isPositive == nil, let positive = isPositiveWeight(weight) else { return nil }
            isPositive = positive
        }
        return isPositive ?? true ? name : nil
    }

    private static func mediaType(_ bytes: ArraySlice<UInt8>) -> String? {
        let halves = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy(HeaderText.isToken) else { return nil }
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }

    /// The text after `q=`; empty without `=` or with white space before it. Nil for other parameters.
    private static func weight(_ parameter: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let name = parameter.prefix { $0 != UInt8(ascii: "=") }
        guard [Array("q".utf8), Array("Q".utf8)].contains(Array(HeaderText.trim(name))) else { return nil }
        return name.count == 1 ? parameter.dropFirst(2) : []
    }

    /// Nil if the text is not a weight: `0` or `1` with at most three decimals, not above 1.
    private static func isPositiveWeight(_ text: ArraySlice<UInt8>) -> Bool? {
        guard let first = text.first, (UInt8(ascii: "0")...UInt8(ascii: "1")).contains(first) else {
            return nil
        }
        let rest = text.dropFirst()
        let decimals = rest.dropFirst()
        guard rest.isEmpty || rest.first == UInt8(ascii: "."), decimals.count <= 3,
            decimals.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let hasFraction = decimals.contains { $0 != UInt8(ascii: "0") }
        if first == UInt8(ascii: "1") { return hasFraction ? nil : true }
        return hasFraction
    }
}
