public import Foundation

extension ServiceSourceRules {
    /// The source with this text, such as `https://example.com/a.jpg`, `s3://photos/a.jpg`,
    /// `local:///a.jpg`, or `a.jpg` below `base`.
    ///
    /// `text` has been percent-decoded once. Throws status 400 for malformed text, and 403 for a source that
    /// is not allowed.
    public func source(named text: String) throws(ServiceError) -> ServiceSource {
        try SourceText.checkCharacters(text)
        let absolute = try absolute(text)
        let (scheme, rest) = SourceText.scheme(of: absolute[...]) ?? ("", "")
        switch scheme {
        case "s3": return try object(rest)
        case "local": return try file(rest)
        default:
            guard let scheme = SourceURL.Scheme(rawValue: scheme) else {
                throw ServiceError(400, "The source's scheme is http, https, s3 or local.")
            }
            return try server(SourceURL(scheme, rest))
        }
    }

    /// Whether a URL may be fetched, for a check at each redirect. True only for `http` and `https`.
    public func allows(_ url: URL) -> Bool {
        let text = url.absoluteString
        guard (try? SourceText.checkCharacters(text)) != nil,
            let (name, rest) = SourceText.scheme(of: text[...]),
            let scheme = SourceURL.Scheme(rawValue: name), let parsed = try? SourceURL(scheme, rest)
        else { return false }
        return parsed.agrees(with: url) && allows(parsed)
    }

    private func allows(_ url: SourceURL) -> Bool {
        origins.map { $0.contains { $0?.allows(url) ?? false } } ?? true
    }

    private func absolute(_ text: String) throws(ServiceError) -> String {
        if SourceText.scheme(of: text[...]) != nil { return text }
        guard let base else { throw ServiceError(400, "The source has no scheme.") }
        return try SourceText.joined(text, below: base)
    }

    private func server(_ parsed: SourceURL) throws(ServiceError) -> ServiceSource {
        guard let url = parsed.url else { throw ServiceError(400, "The source is not a URL.") }
        guard allows(parsed) else { throw .sourceNotAllowed }
        return .http(url)
    }

    /// `//BUCKET/KEY[?versionId=ID]`. The key is used as it is, also with `?`, `#` and dot segments.
    private func object(_ text: Substring) throws(ServiceError) -> ServiceSource {
        guard ByteText.hasPrefix(text, "//"),
            let (bucket, object) = ByteText.cut(Substring(text.utf8.dropFirst(2)), at: "/"),
            Self.isBucket(bucket)
        else { throw ServiceError(400, "An object is s3://BUCKET/KEY.") }
        guard buckets.contains(String(bucket)) else { throw .sourceNotAllowed }
        let (key, version) = Self.version(of: object)
        guard (1...1_024).contains(key.utf8.count), version?.isEmpty != true else {
            throw ServiceError(400, "The key has 1 to 1024 bytes, the version is not empty.")
        }
        return .s3(bucket: String(bucket), key: String(key), versionID: version.map(String.init))
    }

    /// `///PATH`.
    private func file(_ text: Substring) throws(ServiceError) -> ServiceSource {
        guard allowsFolder else { throw .sourceNotAllowed }
        let path = Substring(text.utf8.dropFirst(3))
        let segments = ByteText.split(path, at: "/")
        guard ByteText.hasPrefix(text, "///"),
            segments.allSatisfy({ !$0.isEmpty && !DotSegments.isDots($0.utf8) })
        else { throw ServiceError(400, "A file is local:///PATH, without empty and dot segments.") }
        return .local(path: String(path))
    }

    /// Letters, digits, dots, hyphens and underscores, with a letter or digit first.
    static func isBucket(_ text: some StringProtocol) -> Bool {
        let isName = text.utf8.allSatisfy { ByteText.isAlphanumeric($0) || ".-_".utf8.contains($0) }
        return isName && (3...255).contains(text.utf8.count)
            && text.utf8.first.map(ByteText.isAlphanumeric) == true
    }

    /// Splits at the last `?versionId=`; other question marks belong to the key.
    private static func version(of object: Substring) -> (key: Substring, version: Substring?) {
        let mark = Array("?versionId=".utf8)
        let bytes = Array(object.utf8)
        for start in stride(from: bytes.count - mark.count, through: 0, by: -1)
        where bytes[start] == mark[0] && bytes[start..<start + mark.count].elementsEqual(mark) {
            return (
                Substring(object.utf8.prefix(start)), Substring(object.utf8.dropFirst(start + mark.count))
            )
        }
        return (object, nil)
    }
}

extension ServiceSource {
    /// The text that `ServiceSourceRules.source(named:)` reads as this source; nil for an upload.
    var name: String? {
        switch self {
        case .http(let url): url.absoluteString
        case .s3(let bucket, let key, let version):
            "s3://\(bucket)/\(key)" + (version.map { "?versionId=\($0)" } ?? "")
        case .local(let path): "local:///\(path)"
        case .upload: nil
        }
    }
}
