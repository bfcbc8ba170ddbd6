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
        let location = try S3Location(bucket: bucket, key: key, versionID: versionID, at: endpoint)
        guard UTCTime(now) != nil else { throw ServiceError(500, "The clock is wrong.") }
        guard let request = Self(location, region: endpoint.region, credentials: credentials, now: now) else {
            throw ServiceError(500, "The request cannot be signed.")
        }
        self = request
    }

    /// Nil at an impossible time, or if libcrypto fails.
    init?(_ location: S3Location, region: String, credentials: S3Credentials, now: Int) {
        guard let time = UTCTime(now), let url = location.url else { return nil }
        var fields = [
            (name: "x-amz-content-sha256", value: SignatureV4.emptyBody),
            (name: "x-amz-date", value: time.basic),
        ]
        if let token = credentials.sessionToken {
            fields.append((name: "x-amz-security-token", value: token))
        }
        let signer = SignatureV4(credentials: credentials, region: region, time: time)
        guard
            let signed = signer.sign(
                path: location.path, query: location.query,
                fields: fields + [(name: "host", value: location.authority)])
        else { return nil }
        self.url = url
        fields.append((name: "authorization", value: signed.authorization))
        self.fields = Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
    }
}
