import Foundation
import KingfisherDigests
import Testing

@testable import KingfisherService

private let accessKey = "AKIAIOSFODNN7EXAMPLE"
private let secretKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"

struct SignatureV4Tests {
    private func signed(
        path: String, query: String = "", host: String, region: String, now: Int, token: String? = nil,
        others: [(name: String, value: String)] = []
    ) throws -> SignatureV4.Signed {
        let credentials = try #require(
            S3Credentials(accessKey: accessKey, secretKey: secretKey, sessionToken: token))
        let time = try #require(UTCTime(now))
        let fields =
            [
                (name: "x-amz-date", value: time.basic), (name: "host", value: host),
                (name: "x-amz-content-sha256", value: SignatureV4.emptyBody),
            ] + others + (token.map { [(name: "x-amz-security-token", value: $0)] } ?? [])
        let signer = SignatureV4(credentials: credentials, region: region, time: time)
        return try #require(signer.sign(path: path, query: query, fields: fields))
    }

    @Test func `The hash of an empty body is correct`() {
        #expect(SignatureV4.emptyBody == SHA256.hexDigest(of: ""))
    }

    @Test func `The example of the Amazon S3 API reference has its signature`() throws {
        let host = "examplebucket.s3.amazonaws.com"
        let result = try signed(
            path: "/test.txt", host: host, region: "us-east-1", now: 1_369_353_600,
            others: [(name: "range", value: "bytes=0-9")])
        #expect(result.names == "host;range;x-amz-content-sha256;x-amz-date")
        #expect(result.signature == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
        #expect(
            result.authorization
                == "AWS4-HMAC-SHA256 Credential=\(accessKey)/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=\(result.names), Signature=\(result.signature)")
        let canonical = SignatureV4.canonicalRequest(
            path: "/test.txt", query: "",
            fields: [
                (name: "host", value: host), (name: "range", value: "bytes=0-9"),
                (name: "x-amz-content-sha256", value: SignatureV4.emptyBody),
                (name: "x-amz-date", value: "20130524T000000Z"),
            ], names: result.names)
        #expect(
            SHA256.hexDigest(of: canonical)
                == "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972")
    }

    /// Recorded from botocore 1.43.11 on 2026-01-02 at 03:04:05 UTC.
    @Test(
        arguments: [
            (
                "s3.eu-central-1.amazonaws.com", "/bucket.with.dots/a%20b/%C3%A4%2Bc%3Dd.jpg", "",
                String?.none,
                "8b913f090d8d433786226d0ca496b3a585fcf0be8bedc47527c391ce3eaf6486"
            ),
            (
                "127.0.0.1:9000", "/photos/2026/x~y_(1).jpg", "", nil,
                "160ca768443c5ead472b358cb30d1a2794548f472e88ff05a1b1c3e00250ba7e"
            ),
            (
                "photos.s3.eu-central-1.amazonaws.com", "/k%40l%3Am.png", "", "SESSIONTOKEN/+==",
                "90162b296f66fc8fded89fd4d8573dab5a71508f6ca9f9388f47dda60277c796"
            ),
            (
                "photos.s3.eu-central-1.amazonaws.com", "/a//b/../c.jpg", "", nil,
                "564f9add805f58ef22d9a6cd7b9aa07df93aedaa4474a25915cb43b515946ceb"
            ),
            (
                "photos.s3.eu-central-1.amazonaws.com", "/v.jpg", "versionId=3%2Fx%3D", nil,
                "b1159c84c30957ade302c31cb94b1e557cf2ec178e16adc34d31a006c1f173a9"
            ),
        ])
    func `A recorded request has its signature`(
        _ host: String, _ path: String, _ query: String, _ token: String?, _ expected: String
    ) throws {
        let result = try signed(
            path: path, query: query, host: host, region: "eu-central-1", now: 1_767_323_045, token: token)
        #expect(result.signature == expected)
        let token = token == nil ? "" : ";x-amz-security-token"
        #expect(result.names == "host;x-amz-content-sha256;x-amz-date\(token)")
    }
}
