public import Foundation

/// A signed GET request for an object: a URL, and header fields that are valid for some minutes.
///
/// The URL must be sent as it is, with its dot segments and empty segments. A redirect must not be followed:
/// the fields would be sent to another host.
public struct S3Request: Hashable, Sendable {
    /// The URL to request.
    public let url: URL
    /// `Authorization` and the signed fields except `Host`, by their names in lower case.
    public let fields: [String: String]

    private static let longestKey = 1_024

    /// Signs a request.
    ///
    /// Throws 400 for a key or bucket that S3 does not have: a request without a key lists the bucket.
    ///
    /// - Parameters:
    ///   - bucket: Letters, digits, `.`, `-` and `_`.
    ///   - key: Not percent-encoded; encoded once here, and not normalized.
    ///   - now: In seconds since 1970.
    public init(
        bucket: String, key: String, versionID: String? = nil, endpoint: S3Endpoint,
        credentials: S3Credentials, now: Int
    ) throws(ServiceError) {
        guard (1...Self.longestKey).contains(key.utf8.count) else {
            throw ServiceError(400, "A key of S3 has 1 to \(Self.longestKey) bytes.")
        }
        guard HeaderText.isShortName(bucket), bucket != ".", bucket != ".." else {
            throw ServiceError(400, "The name of the bucket is not valid.")
        }
        guard let time = UTCTime(now) else { throw ServiceError(500, "The clock is wrong.") }
        let (authority, folder) = endpoint.location(of: bucket)
        let path = "\(folder)/\(Self.encode(key, keeping: "/"))"
        let query = versionID.map { "versionId=\(Self.encode($0))" } ?? ""
        var fields = [
            (name: "x-amz-content-sha256", value: SignatureV4.emptyBody),
            (name: "x-amz-date", value: time.basic),
        ]
        if let token = credentials.sessionToken {
            fields.append((name: "x-amz-security-token", value: token))
        }
        let signer = SignatureV4(credentials: credentials, region: endpoint.region, time: time)
        let address = "\(endpoint.scheme)://\(authority)\(path)\(query.isEmpty ? "" : "?" + query)"
        guard let url = URL(string: address, encodingInvalidCharacters: false),
            let signed = signer.sign(
                path: path, query: query, fields: fields + [(name: "host", value: authority)])
        else { throw ServiceError(500, "The request cannot be signed.") }
        self.url = url
        fields.append((name: "authorization", value: signed.authorization))
        self.fields = Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
    }

    private static func encode(_ text: String, keeping separator: String = "") -> String {
        PercentEncoding.encode(text) {
            HeaderText.isLetterOrDigit($0) || "-._~".utf8.contains($0) || separator.utf8.contains($0)
        }
    }
}
