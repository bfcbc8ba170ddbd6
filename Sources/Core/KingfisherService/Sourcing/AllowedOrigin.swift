/// An entry of the allow-list: scheme, host, port and the beginning of a path.
///
/// Parts of parsed URLs are compared, never text: `https://example.com` does not allow
/// `https://example.com.evil.org`, and `/photos` does not allow `/photosx`.
struct AllowedOrigin: Hashable, Sendable {
    private let origin: SourceURL
    /// Whether the host has one or more labels before the entry's host.
    private let isWildcard: Bool

    /// Parses an entry such as `https://*.example.com/photos/`.
    init(_ text: String) throws(ServiceError) {
        try SourceText.checkCharacters(text)
        guard let (name, rest) = SourceText.scheme(of: text[...]),
            let scheme = SourceURL.Scheme(rawValue: name)
        else { throw ServiceError(400, "An entry starts with http:// or https://.") }
        isWildcard = ByteText.hasPrefix(rest, "//*.")
        origin = try SourceURL(scheme, isWildcard ? "//" + Substring(rest.utf8.dropFirst(4)) : rest)
        guard origin.query == nil, !text.utf8.contains(UInt8(ascii: "#")) else {
            throw ServiceError(400, "An entry has no query and no fragment.")
        }
    }

    func allows(_ url: SourceURL) -> Bool {
        url.scheme == origin.scheme && url.effectivePort == origin.effectivePort && hasHost(url.host)
            && hasPath(url.path)
    }

    private func hasHost(_ host: String) -> Bool {
        isWildcard ? host.hasSuffix("." + origin.host) : host == origin.host
    }

    private func hasPath(_ path: String) -> Bool {
        origin.path.hasSuffix("/")
            ? path.hasPrefix(origin.path) : path == origin.path || path.hasPrefix(origin.path + "/")
    }
}
