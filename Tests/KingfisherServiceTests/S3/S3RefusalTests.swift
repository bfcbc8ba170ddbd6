import Foundation
import FoundationNetworking
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherService

/// What is not sent, and what responses without the object become.
@Suite struct S3RefusalTests {
    private static let date = UTCTime(S3Bench.time)?.httpDate ?? ""
    private static let late = UTCTime(S3Bench.time + 901)?.httpDate ?? ""
    private static let region = [("x-amz-bucket-region", "us-west-2")]

    @Test(arguments: [301, 302, 303, 307, 308], [true, false])
    func `A redirect is not followed, and no other server gets a request`(
        status: Int, isSameServer: Bool
    ) async throws {
        let other = try LoopbackServer(S3Bench.photos())
        defer { other.stop() }
        let target = isSameServer ? "/photos/b.png" : other.url("/photos/b.png").absoluteString
        let bench = try S3Bench { _ in
            .status(status, headers: [("Location", target)] + Self.region)
        }
        defer { bench.server.stop() }
        let failure = try #require(await bench.failure())
        #expect(
            failure.error
                == ServiceError(502, "The bucket is in the region us-west-2, but s3-region is eu-west-1."))
        #expect(bench.server.requestCount() == 1 && other.requestCount() == 0)
    }

    private static let failures: [(status: Int, [(String, String)], code: String, Int, String)] = [
        (301, [], "", 502, "S3 redirected the request, which is refused."),
        (300, [], "", 502, "S3 redirected the request, which is refused."),
        (
            400, region, "AuthorizationHeaderMalformed", 502,
            "The bucket is in the region us-west-2, but s3-region is eu-west-1."
        ),
        (400, [], "ExpiredToken", 502, "The session token for S3 has expired."),
        (401, [], "", 502, "S3 failed with the status 401."),
        (403, [], "", 502, "S3 refused the request."),
        (403, [("Date", date)], "", 502, "S3 refused the request."),
        (403, [("Date", late)], "", 502, "S3 refused the request: the clock of this machine is wrong."),
        (
            403, [("Date", late)], "SignatureDoesNotMatch", 502,
            "S3 refused the request: the clock of this machine is wrong."
        ),
        (
            403, [("Date", date)], "RequestTimeTooSkewed", 502,
            "S3 refused the request: the clock of this machine is wrong."
        ),
        (
            403, [("Date", "yesterday")], "SignatureDoesNotMatch", 502,
            "S3 refused the signature: the secret key is wrong."
        ),
        (403, [], "InvalidAccessKeyId", 502, "S3 does not know the access key."),
        (404, [("Date", late)], "NoSuchKey", 404, "There is no such image at the bucket."),
        (410, [], "", 404, "There is no such image at the bucket."),
        (500, [], "", 502, "The bucket refused the request or failed."),
        (503, [], "SlowDown", 502, "The bucket refused the request or failed."),
    ]

    @Test(arguments: failures)
    func `A response without the object names its cause`(
        row: (status: Int, fields: [(String, String)], code: String, result: Int, text: String)
    ) async throws {
        let body = row.code.isEmpty ? "" : "<Error><Code>\(row.code)</Code><Key>secret</Key></Error>"
        let bench = try S3Bench { _ in
            .status(row.status, headers: row.fields, body: Data(body.utf8))
        }
        defer { bench.server.stop() }
        let failure = try #require(await bench.failure())
        #expect(failure.error == ServiceError(row.result, row.text))
        #expect(failure.name == (row.result == 404 ? "source_missing" : "source_status"))
        #expect(bench.server.requestCount() == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `A long or endless body of an error is not read to its end`() async throws {
        var limits = S3Source.Limits()
        (limits.idleTimeout, limits.totalTimeout) = (300, 300)
        let start = Data("<Error><Code>AccessDenied</Code>".utf8) + Data(repeating: 32, count: 8_192)
        let bench = try S3Bench(limits: limits) { _ in
            ServerResponse([
                .send(ServerResponse.head(403, headers: [("Content-Length", "1000000")])), .send(start),
                .hang,
            ])
        }
        defer { bench.server.stop() }
        #expect(await bench.failure()?.error.message.hasPrefix("S3 denied access") == true)
    }

    @Test func `A missing object is remembered`() async throws {
        var bench = try S3Bench { _ in .status(404) }
        defer { bench.server.stop() }
        bench.options = [.negativeCaching(NegativeCaching())]
        #expect(await bench.failure()?.error.status == 404)
        #expect(await bench.failure()?.error.status == 404)
        #expect(bench.server.requestCount() == 1)
    }

    @Test(arguments: [true, false])
    func `A stale object replaces a failed request, but not a refused one`(isRefused: Bool) async throws {
        let photo = try S3Bench.photo.get()
        var bench = try S3Bench { request in
            request.header("If-None-Match") == nil
                ? .ok(
                    photo,
                    headers: [("ETag", "\"a\""), ("Cache-Control", "max-age=0, stale-if-error=600")])
                : .status(isRefused ? 403 : 503)
        }
        defer { bench.server.stop() }
        bench.options = [.httpCaching, .waitForCache]
        try await bench.data("a.png")
        #expect(await bench.failure()?.error.status == (isRefused ? 502 : nil))
    }

    @Test func `An object above the limit is refused`() async throws {
        var limits = S3Source.Limits()
        limits.maximumBytes = 1_000
        let bench = try S3Bench(limits: limits, S3Bench.photos())
        defer { bench.server.stop() }
        #expect(await bench.failure()?.error.status == 413)
    }

    @Test func `A silent endpoint times out`() async throws {
        var limits = S3Source.Limits()
        limits.idleTimeout = 0.2
        let bench = try S3Bench(limits: limits) { _ in ServerResponse([.hang]) }
        defer { bench.server.stop() }
        #expect(await bench.failure()?.error.status == 504)
    }

    @Test func `A dripping object ends at the limit for the whole download`() async throws {
        var limits = S3Source.Limits()
        limits.totalTimeout = 0.5
        let photo = try S3Bench.photo.get()
        let bench = try S3Bench(limits: limits) { _ in
            .ok(photo).dripping(16, every: .milliseconds(20))
        }
        defer { bench.server.stop() }
        #expect(await bench.failure()?.error.status == 504)
    }

    @Test func `An address that is not allowed gets no request`() async throws {
        let bench = try S3Bench(networks: ["10.0.0.0/8"], S3Bench.photos())
        defer { bench.server.stop() }
        #expect(await bench.failure()?.error == ServiceError(502, "The bucket cannot be reached."))
        #expect(bench.server.requestCount() == 0 && bench.server.acceptedConnections == 0)
    }

    @Test(arguments: [
        "http://bucket.test.evil.test/a", "http://evil.test/a", "https://bucket.test/a",
        "http://photos.x.bucket.test/a", "http://-a-.bucket.test/a", "http://photosbucket.test/a",
        "http://bucket.test", "http://u@bucket.test/a", "http://bucket.test:80/a", "http://bucket.test/a#b",
        "ftp://bucket.test/a", "http://PHOTOS.bucket.test/a",
    ])
    func `Requests for other servers are not signed`(text: String) throws {
        let endpoint = try #require(S3Endpoint(region: "eu-west-1", url: "http://bucket.test"))
        #expect(try S3Location(#require(URL(string: text)), at: endpoint) == nil)
    }

    @Test func `The downloader sends nothing to another server`() async throws {
        let other = try LoopbackServer(S3Bench.photos())
        defer { other.stop() }
        let bench = try S3Bench(S3Bench.photos())
        defer { bench.server.stop() }
        await #expect(throws: KingfisherError.self) {
            try await bench.source.downloader.downloadImage(with: other.url("/a.png"))
        }
        #expect(other.acceptedConnections == 0)
    }

    @Test func `A location is read back from its URL`() throws {
        for url in ["http://127.0.0.1:9000/root", "http://bucket.test:9000", "https://bucket.test"] {
            let endpoint = try #require(S3Endpoint(region: "eu-west-1", url: url))
            for (bucket, versionID) in [("photos", nil), ("a.b", "1?"), ("a_b", "")] {
                let location = try S3Location(
                    bucket: bucket, key: "a//?é b/", versionID: versionID, at: endpoint)
                #expect(try S3Location(#require(location.url), at: endpoint) == location)
            }
        }
    }
}
