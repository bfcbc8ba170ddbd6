import Foundation

/// Where buckets of S3, or of a service with its interface, are.
public struct S3Endpoint: Hashable, Sendable {
    /// The region that is signed, such as `eu-central-1`.
    public let region: String
    let scheme: String
    /// The host in lower case, and the port unless it is the default one.
    let authority: String
    /// The path of the endpoint without a slash at its end, percent-encoded.
    let path: String
    private let usesPathStyle: Bool

    /// Creates an endpoint; nil if the region or the URL is malformed.
    ///
    /// - Parameters:
    ///   - region: Such as `eu-central-1`.
    ///   - url: An `http` or `https` URL without user, query and fragment; nil for Amazon S3.
    ///   - usesPathStyle: Whether the bucket is in the path instead of the host. An address as host always
    ///     has it in the path.
    public init?(region: String, url: String? = nil, usesPathStyle: Bool = false) {
        guard Self.isRegion(region) else { return nil }
        self.region = region
        guard let url else {
            let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
            (scheme, authority, path) = ("https", "s3.\(region).\(domain)", "")
            self.usesPathStyle = usesPathStyle
            return
        }
        guard HeaderText.isValue(url), let parts = URLComponents(string: url),
            let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.encodedHost?.lowercased(), !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            parts.port.map({ (1...65_535).contains($0) }) ?? true,
            host.utf8.allSatisfy({ HeaderText.isLetterOrDigit($0) || "-.:[]".utf8.contains($0) })
        else { return nil }
        self.scheme = scheme
        let standard = scheme == "http" ? 80 : 443
        authority = host + (parts.port.flatMap { $0 == standard ? nil : ":\($0)" } ?? "")
        var path = Substring(parts.percentEncodedPath)
        while path.hasSuffix("/") { path.removeLast() }
        self.path = String(path)
        self.usesPathStyle = usesPathStyle || Self.isAddress(host)
    }

    /// The authority and the beginning of the path for a bucket.
    func location(of bucket: String) -> (authority: String, path: String) {
        isInHost(bucket) ? ("\(bucket).\(authority)", path) : (authority, "\(path)/\(bucket)")
    }

    /// Whether requests with this authority are for the endpoint: its own one, or one with a bucket.
    func hasAuthority(_ other: Substring) -> Bool {
        if ByteText.areEqual(other, authority) { return true }
        guard let (bucket, host) = ByteText.cut(other, at: ".") else { return false }
        return ByteText.areEqual(host, authority) && isInHost(String(bucket))
    }

    private func isInHost(_ bucket: String) -> Bool {
        // A certificate for `*.s3.…` is not valid for a bucket with dots, and other characters are no host.
        !usesPathStyle && (3...63).contains(bucket.utf8.count)
            && !bucket.hasPrefix("-") && !bucket.hasSuffix("-")
            && bucket.utf8.allSatisfy { Self.isLabelByte($0) }
    }

    static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isLabelByte)
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        HeaderText.isLetterOrDigit(byte) && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || byte == UInt8(ascii: "-")
    }

    /// IPv6 in brackets, or a last label of digits, which no name has.
    private static func isAddress(_ host: String) -> Bool {
        guard !host.hasPrefix("[") else { return true }
        let last = host.split(separator: ".").last ?? ""
        return last.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
