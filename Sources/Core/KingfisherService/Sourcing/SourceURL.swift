import Foundation

/// An `http` or `https` URL, parsed by RFC 3986 with the restrictions of the service.
///
/// Two URLs that a server takes as one have the same parts, except for the spelling of escapes. Refused are
/// user information, hosts that URL parsers read differently, and dot segments, which a client or a server
/// might remove after the check of the path.
struct SourceURL: Hashable, Sendable {
    enum Scheme: String, Sendable {
        case http
        case https

        var defaultPort: Int { self == .http ? 80 : 443 }
    }

    let scheme: Scheme
    let host: String
    /// Nil for the default port of the scheme.
    let port: Int?
    /// Percent-encoded; not empty.
    let path: String
    /// Percent-encoded, without `?`.
    let query: String?

    /// Parses what follows the colon of the scheme. The text has been percent-decoded once.
    init(_ scheme: Scheme, _ text: Substring) throws(ServiceError) {
        guard ByteText.hasPrefix(text, "//") else {
            throw ServiceError(400, "The source needs two slashes after \(scheme.rawValue):.")
        }
        let url = ByteText.cut(text, at: "#")?.before ?? text
        let (location, query) = ByteText.cut(url, at: "?") ?? (url, nil as Substring?)
        let afterSlashes = location.utf8.dropFirst(2)
        let authority = Substring(afterSlashes.prefix { $0 != UInt8(ascii: "/") })
        let path = Substring(afterSlashes.dropFirst(authority.utf8.count))

        self.scheme = scheme
        (host, port) = try SourceAuthority.parse(authority, defaultPort: scheme.defaultPort)
        let completed = URLBytes.completed(path) { URLBytes.isPathByte($0) || $0 == UInt8(ascii: "/") }
        self.path = completed.isEmpty ? "/" : completed
        self.query = query.map { URLBytes.completed($0, URLBytes.isQueryByte) }
        guard !DotSegments.isFound(in: self.path) else {
            throw ServiceError(400, "The source has a dot segment in its path.")
        }
    }

    var effectivePort: Int { port ?? scheme.defaultPort }

    var text: String {
        let portText = port.map { ":\($0)" } ?? ""
        let queryText = query.map { "?" + $0 } ?? ""
        return "\(scheme.rawValue)://\(host)\(portText)\(path)\(queryText)"
    }

    /// Foundation's value of the URL; nil if Foundation reads other parts in it.
    var url: URL? {
        guard let url = URL(string: text, encodingInvalidCharacters: false), agrees(with: url),
            url.absoluteString == text
        else { return nil }
        return url
    }

    /// Whether Foundation reads the same server in `url`, without user information.
    func agrees(with url: URL) -> Bool {
        guard let name = url.host(percentEncoded: true), url.user() == nil, url.password() == nil else {
            return false
        }
        let authority = name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]" : name
        let parsed = try? SourceAuthority.parse(authority[...], defaultPort: scheme.defaultPort)
        return url.scheme?.lowercased() == scheme.rawValue && parsed?.host == host
            && (url.port ?? scheme.defaultPort) == effectivePort
    }
}
