import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherService

/// A request that botocore would send; `Tests/Fixtures/generate/s3_requests.py` records them.
private struct RecordedRequest: Decodable {
    let accessKey: String
    let secretKey: String
    let sessionToken: String?
    let region: String
    let endpoint: String?
    let pathStyle: Bool
    let bucket: String
    let key: String
    let versionID: String?
    let now: Int
    let url: String
    let fields: [String: String]

    static func all() throws -> [RecordedRequest] {
        try JSONDecoder().decode([Self].self, from: Fixtures.data(named: "Service/s3-requests.json"))
    }
}

struct S3RequestTests {
    private func request(
        bucket: String = "photos", key: String = "a.jpg", region: String = "us-east-1", url: String? = nil,
        usesPathStyle: Bool = false, now: Int = 1_767_323_045
    ) throws -> S3Request {
        let endpoint = try #require(S3Endpoint(region: region, url: url, usesPathStyle: usesPathStyle))
        let credentials = try #require(S3Credentials(accessKey: "A", secretKey: "S"))
        return try S3Request(bucket: bucket, key: key, endpoint: endpoint, credentials: credentials, now: now)
    }

    @Test func `200 requests are equal to the ones of botocore`() throws {
        let recorded = try RecordedRequest.all()
        #expect(recorded.count == 200)
        for one in recorded {
            let endpoint = try #require(
                S3Endpoint(region: one.region, url: one.endpoint, usesPathStyle: one.pathStyle))
            let credentials = try #require(
                S3Credentials(
                    accessKey: one.accessKey, secretKey: one.secretKey, sessionToken: one.sessionToken))
            let request = try S3Request(
                bucket: one.bucket, key: one.key, versionID: one.versionID, endpoint: endpoint,
                credentials: credentials, now: one.now)
            // botocore keeps the default port in the URL, but not in `Host`.
            let url = one.url.replacing("example.com:80/", with: "example.com/")
            #expect(request.url.absoluteString == url)
            #expect(request.fields == one.fields, "\(one.url)")
        }
    }

    @Test(
        arguments: [
            ("photos", "https://photos.s3.us-east-1.amazonaws.com/a.jpg"),
            ("a.b.c", "https://s3.us-east-1.amazonaws.com/a.b.c/a.jpg"),
            ("Old_Bucket", "https://s3.us-east-1.amazonaws.com/Old_Bucket/a.jpg"),
            ("-ab", "https://s3.us-east-1.amazonaws.com/-ab/a.jpg"),
            ("ab", "https://s3.us-east-1.amazonaws.com/ab/a.jpg"),
        ])
    func `A bucket is in the host only if it is one label`(_ bucket: String, _ expected: String) throws {
        #expect(try request(bucket: bucket).url.absoluteString == expected)
    }

    @Test(
        arguments: [
            ("http://127.0.0.1:9000", false, "http://127.0.0.1:9000/photos/a.jpg"),
            ("http://[::1]:9000/", false, "http://[::1]:9000/photos/a.jpg"),
            ("HTTPS://Minio.Example.com:443/", false, "https://photos.minio.example.com/a.jpg"),
            ("http://minio:80", false, "http://photos.minio/a.jpg"),
            ("http://minio:8080//", true, "http://minio:8080/photos/a.jpg"),
            ("https://e.com/storage/v1/s3", true, "https://e.com/storage/v1/s3/photos/a.jpg"),
            ("https://e.com/storage/v1/s3", false, "https://photos.e.com/storage/v1/s3/a.jpg"),
        ])
    func `An endpoint of another service is used`(
        _ url: String, _ usesPathStyle: Bool, _ expected: String
    ) throws {
        #expect(try request(url: url, usesPathStyle: usesPathStyle).url.absoluteString == expected)
    }

    @Test(
        arguments: [
            "", "e.com", "ftp://e.com", "https://", "https://u@e.com", "https://u:p@e.com",
            "https://e.com?x=1",
            "https://e.com#x", "https://e.com:99999", "https://e.com:0", "https://é.com", "https://e%20.com",
            "//e.com", "https:e.com", "https://e.com\r\nX: 1",
        ])
    func `A malformed endpoint is refused`(_ url: String) {
        #expect(S3Endpoint(region: "us-east-1", url: url) == nil)
    }

    @Test(arguments: [
        "", "US-EAST-1", "us east 1", "us/east", "us-east-1\n", String(repeating: "a", count: 65),
    ])
    func `A malformed region is refused`(_ region: String) {
        #expect(S3Endpoint(region: region) == nil)
    }

    @Test(arguments: ["", String(repeating: "a", count: 1_025), String(repeating: "é", count: 513)])
    func `A key of a wrong length is refused`(_ key: String) {
        #expect(throws: ServiceError(400, "A key of S3 has 1 to 1024 bytes.")) { try request(key: key) }
    }

    @Test(arguments: [
        "", ".", "..", "a/b", "a b", "a%2Fb", "é", "a@b", "a?b", String(repeating: "a", count: 65),
    ])
    func `A malformed bucket is refused`(_ bucket: String) {
        #expect(throws: ServiceError(400, "The name of the bucket is not valid.")) {
            try request(bucket: bucket)
        }
    }

    @Test(arguments: [-1, .max])
    func `An impossible time is refused`(_ now: Int) {
        #expect(throws: ServiceError.self) { try request(now: now) }
    }
}
