import Foundation

/// Where an object is: the parts of its URL as they are signed and sent.
struct S3Location: Hashable {
    private static let longestKey = 1_024

    let scheme: String
    /// The value of `Host`.
    let authority: String
    /// Percent-encoded, with all its dot segments and empty segments.
    let path: String
    /// Percent-encoded and in canonical order; empty without a version.
    let query: String

    /// Throws 400 for a key or bucket that S3 does not have: a request without a key lists the bucket.
    init(
        bucket: String, key: String, versionID: String?, at endpoint: S3Endpoint
    ) throws(ServiceError) {
        guard (1...Self.longestKey).contains(key.utf8.count) else {
            throw ServiceError(400, "A key of S3 has 1 to \(Self.longestKey) bytes.")
        }
        guard HeaderText.isShortName(bucket), bucket != ".", bucket != ".." else {
            throw ServiceError(400, "The name of the bucket is not valid.")
        }
        let (authority, folder) = endpoint.location(of: bucket)
        scheme = endpoint.scheme
        self.authority = authority
        path = "\(folder)/\(Self.encode(key, keeping: "/"))"
        query = versionID.map { "versionId=\(Self.encode($0))" } ?? ""
    }

    /// The location with this URL; nil unless the URL is one of the endpoint, or of a bucket in its host.
    init?(_ url: URL, at endpoint: S3Endpoint) {
        let start = "\(endpoint.scheme)://"
        let text = url.absoluteString
        guard ByteText.hasPrefix(text, start), !text.utf8.contains(UInt8(ascii: "#")),
            let (authority, rest) = ByteText.cut(Substring(text.utf8.dropFirst(start.utf8.count)), at: "/"),
            endpoint.hasAuthority(authority)
        else { return nil }
        let parts = ByteText.cut(rest, at: "?")
        scheme = endpoint.scheme
        self.authority = String(authority)
        path = "/\(parts?.before ?? rest)"
        query = parts.map { String($0.after) } ?? ""
    }

    /// The URL, whose text is the one that is signed.
    var url: URL? {
        let text = "\(scheme)://\(authority)\(path)\(query.isEmpty ? "" : "?" + query)"
        return URL(string: text, encodingInvalidCharacters: false)
    }

    /// The key for caches. It is ASCII and encoded once, so that no two objects have the same.
    static func cacheKey(bucket: String, key: String, versionID: String?) -> String {
        "s3://\(bucket)/\(encode(key, keeping: "/"))" + (versionID.map { "?versionId=\(encode($0))" } ?? "")
    }

    private static func encode(_ text: String, keeping separator: String = "") -> String {
        PercentEncoding.encode(text) {
            HeaderText.isLetterOrDigit($0) || "-._~".utf8.contains($0) || separator.utf8.contains($0)
        }
    }
}
