import KingfisherDigests

/// A signature of a GET request without a body for S3 (Amazon S3 API reference, "Authenticating Requests:
/// Using the Authorization Header (AWS Signature Version 4)").
struct SignatureV4 {
    /// SHA-256 of no bytes.
    static let emptyBody = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    let credentials: S3Credentials
    let region: String
    let time: UTCTime

    struct Signed: Hashable {
        /// The names of the fields, separated by semicolons.
        let names: String
        let signature: String
        let authorization: String
    }

    /// Signs a request as it is sent; nil if libcrypto fails.
    ///
    /// - Parameters:
    ///   - path: Percent-encoded, used as it is.
    ///   - query: Percent-encoded, in canonical order, without `?`.
    ///   - fields: With `host`, names in lower case, values without spaces around them.
    func sign(path: String, query: String, fields: [(name: String, value: String)]) -> Signed? {
        let fields = fields.sorted { $0.name < $1.name }
        let names = fields.map(\.name).joined(separator: ";")
        let request = Self.canonicalRequest(path: path, query: query, fields: fields, names: names)
        let scope = "\(time.basicDay)/\(region)/s3/aws4_request"
        let text = [
            "AWS4-HMAC-SHA256", time.basic, scope, SHA256.hexDigest(of: request),
        ].joined(separator: "\n")
        var key = Array("AWS4\(credentials.secretKey)".utf8)
        for part in [time.basicDay, region, "s3", "aws4_request", text] {
            key = HMAC.code(of: Array(part.utf8), key: key)
            // An empty key would give a signature that everyone can compute.
            guard !key.isEmpty else { return nil }
        }
        let signature = Self.hexadecimal(key)
        return Signed(
            names: names, signature: signature,
            authorization: "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), "
                + "SignedHeaders=\(names), Signature=\(signature)")
    }

    static func canonicalRequest(
        path: String, query: String, fields: [(name: String, value: String)], names: String
    ) -> String {
        (["GET", path, query] + fields.map { "\($0.name):\($0.value)" } + ["", names, emptyBody])
            .joined(separator: "\n")
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
