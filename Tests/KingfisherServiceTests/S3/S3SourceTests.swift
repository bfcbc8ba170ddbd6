import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherService

/// Objects over a socket: what is sent, and what is shared and cached.
@Suite struct S3SourceTests {
    private func signed(_ bench: S3Bench, _ key: String, token: String? = nil, versionID: String? = nil)
        throws -> S3Request
    {
        let credentials = S3Credentials(accessKey: "KEY", secretKey: "SECRET", sessionToken: token)
        return try S3Request(
            bucket: "photos", key: key, versionID: versionID, endpoint: bench.endpoint,
            credentials: #require(credentials), now: S3Bench.time)
    }

    private static let targets: [(key: String, versionID: String?, target: String)] = [
        ("2026/a b.jpg", nil, "/2026/a%20b.jpg"),
        ("a+b=c~d.jpg", nil, "/a%2Bb%3Dc~d.jpg"),
        ("a//b.jpg", nil, "/a//b.jpg"),
        ("/leading", nil, "//leading"),
        ("trailing/", nil, "/trailing/"),
        ("a?b#c&d", nil, "/a%3Fb%23c%26d"),
        ("100%25.jpg", nil, "/100%2525.jpg"),
        ("中文/ä.png", nil, "/%E4%B8%AD%E6%96%87/%C3%A4.png"),
        ("a.jpg", "3/x= y+z", "/a.jpg?versionId=3%2Fx%3D%20y%2Bz"),
        ("..a/.b./...", nil, "/..a/.b./..."),
        ("a/../b/./c.jpg", nil, "/a/../b/./c.jpg"),
        ("..", nil, "/.."),
    ]

    @Test(arguments: targets, [nil, "bucket.test"])
    func `A request is sent as it is signed`(
        row: (key: String, versionID: String?, target: String), host: String?
    ) async throws {
        let bench = try S3Bench(host: host, S3Bench.photos())
        defer { bench.server.stop() }
        try await bench.data(row.key, versionID: row.versionID)
        let request = try #require(bench.server.requests.first)
        #expect(request.target == (host == nil ? "/photos" : "") + row.target)
        let name = host.map { "photos.\($0)" } ?? "127.0.0.1"
        #expect(request.header("Host") == "\(name):\(bench.server.port)")
        let expected = try signed(bench, row.key, versionID: row.versionID)
        for (name, value) in expected.fields { #expect(request.header(name) == value) }
        #expect(request.header("x-amz-security-token") == nil)
    }

    @Test func `A session token is sent and signed`() async throws {
        let bench = try S3Bench(token: "TOKEN", S3Bench.photos())
        defer { bench.server.stop() }
        try await bench.data("a.jpg")
        let request = try #require(bench.server.requests.first)
        #expect(request.header("x-amz-security-token") == "TOKEN")
        #expect(request.header("authorization")?.contains(";x-amz-security-token") == true)
        #expect(
            try request.header("authorization")
                == signed(bench, "a.jpg", token: "TOKEN").fields["authorization"])
    }

    @Test func `50 simultaneous equal requests are one transfer`() async throws {
        let gate = ServerGate()
        let photo = try S3Bench.photo.get()
        let bench = try S3Bench { _ in .ok(photo).held(by: gate) }
        defer { bench.server.stop() }
        let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await bench.data("a.jpg").data.count } }
            #expect(await bench.server.wait { $0.requestCount() == 1 })
            gate.release()
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(sizes.count == 1 && bench.server.requestCount() == 1)
    }

    @Test func `A stale object is revalidated by its ETag`() async throws {
        let photo = try S3Bench.photo.get()
        var bench = try S3Bench { request in
            let fields = [("ETag", "\"abc\""), ("Cache-Control", "max-age=0")]
            return request.header("If-None-Match") == "\"abc\""
                ? .status(304, headers: fields) : .ok(photo, headers: fields)
        }
        defer { bench.server.stop() }
        bench.options = [.httpCaching, .waitForCache]
        let first = try await bench.data("a.jpg")
        let second = try await bench.data("a.jpg")
        #expect(first.data == second.data)
        let requests = bench.server.requests
        #expect(requests.map { $0.header("If-None-Match") } == [nil, "\"abc\""])
        #expect(requests.map { $0.header("Authorization") != nil } == [true, true])
    }

    @Test func `Results reach a shared tier under the key of the object`() async throws {
        let tier = MemoryTier(keepsOriginals: true)
        let bench = try S3Bench(S3Bench.photos())
        defer { bench.server.stop() }
        bench.manager.tiers = [tier]
        try await bench.data("a b.jpg")
        #expect(await poll { tier.entries.count == 2 })
        #expect(tier.entries.keys.contains(TierKey(cacheKey: "s3://photos/a%20b.jpg")))
    }

    @Test func `No two objects have the same key for caches`() throws {
        let bench = try S3Bench(S3Bench.photos())
        defer { bench.server.stop() }
        let objects: [(String, String?, String?)] = [
            ("a", nil, nil), ("a", "1", nil), ("a?versionId=1", nil, nil), ("a%3FversionId=1", nil, nil),
            ("a", "1?versionId=2", nil), ("a?versionId=1", "2", nil), ("a#b", nil, nil), ("a", "", nil),
            ("a", nil, "1"), ("a\u{1}version 1", nil, nil), ("\u{E9}", nil, nil), ("e\u{301}", nil, nil),
            ("A", nil, nil), ("a/", nil, nil), ("/a", nil, nil), ("a+b", nil, nil), ("a b", nil, nil),
        ]
        let keys = try objects.map { try bench.load($0, versionID: $1, version: $2).source.cacheKey }
        #expect(Set(keys).count == objects.count)
    }

    @Test func `A source without buckets is 404`() throws {
        let request = ServiceRequest(source: .s3(bucket: "photos", key: "a", versionID: nil))
        #expect(throws: ServiceError(404, "This service does not read such sources.")) {
            try ServiceLoad(request, accept: AcceptHeader([]), FormatNegotiation(registered: [.PNG]))
        }
    }
}
