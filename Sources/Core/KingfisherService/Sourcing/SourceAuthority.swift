import Foundation

/// The host and the port of a source. Hosts are spelled in one way only, so that the check of a host and the
/// client that connects to it cannot disagree.
enum SourceAuthority {
    /// The canonical host, and the port unless it is the default.
    static func parse(
        _ text: Substring, defaultPort: Int
    ) throws(ServiceError) -> (host: String, port: Int?) {
        guard !text.utf8.contains(UInt8(ascii: "@")) else {
            throw ServiceError(400, "The source has user information.")
        }
        let end: Substring.Index
        if text.utf8.first == UInt8(ascii: "[") {
            guard let bracket = text.utf8.firstIndex(of: UInt8(ascii: "]")) else { throw badHost }
            end = text.utf8.index(after: bracket)
        } else {
            end = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        }
        let host = try host(text[..<end])
        let port = try port(text[end...])
        return (host, port == defaultPort ? nil : port)
    }

    private static let badHost = ServiceError(
        400, "The source's host is malformed; it is ASCII, international names are in punycode.")

    private static func port(_ text: Substring) throws(ServiceError) -> Int? {
        guard !text.isEmpty else { return nil }
        guard text.utf8.first == UInt8(ascii: ":"), text.utf8.count <= 6,
            let port = ByteText.number(Substring(text.utf8.dropFirst())), (1...65_535).contains(port)
        else { throw ServiceError(400, "The source's port is malformed.") }
        return port
    }

    private static func host(_ text: Substring) throws(ServiceError) -> String {
        guard text.utf8.count <= 253 else { throw badHost }
        if text.utf8.first == UInt8(ascii: "[") { return try address6(text) }
        let host = String(decoding: text.utf8.map(lowercased), as: UTF8.self)
        let labels = ByteText.split(host[...], at: ".")
        for label in labels {
            let isValid = label.utf8.allSatisfy { ByteText.isAlphanumeric($0) || "-_".utf8.contains($0) }
            guard isValid, (1...63).contains(label.utf8.count) else { throw badHost }
        }
        if let last = labels.last, isNumber(last), !isAddress4(labels) {
            throw ServiceError(400, "An IPv4 address is four decimal numbers without leading zeros.")
        }
        return host
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Whether a URL parser takes a host with this last label for an IPv4 address (WHATWG URL, "ends in a
    /// number checker").
    private static func isNumber(_ label: Substring) -> Bool {
        if label.utf8.allSatisfy(ByteText.isDigit) { return true }
        let digits = label.utf8.dropFirst(2)
        return ByteText.hasPrefix(label, "0x") && digits.allSatisfy { PercentEncoding.hex($0) != nil }
    }

    private static func isAddress4(_ labels: [Substring]) -> Bool {
        labels.count == 4 && labels.allSatisfy { ByteText.number($0).map { $0 <= 255 } ?? false }
    }

    /// The address in the notation of RFC 5952, in brackets. A zone is refused.
    private static func address6(_ text: Substring) throws(ServiceError) -> String {
        var address = in6_addr()
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let bare = String(text.dropFirst().dropLast())
        guard bare.utf8.allSatisfy({ PercentEncoding.hex($0) != nil || ":.".utf8.contains($0) }),
            inet_pton(AF_INET6, bare, &address) == 1,
            inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil
        else { throw badHost }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return "[" + String(decoding: bytes, as: UTF8.self) + "]"
    }
}
