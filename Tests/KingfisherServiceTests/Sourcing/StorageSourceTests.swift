import Testing

@testable import KingfisherService

/// Objects, files, and relative sources.
struct StorageSourceTests {
    @Test(
        arguments: [
            ("s3://photos/a.jpg", "photos", "a.jpg", nil),
            ("S3://photos/2026/a b.jpg", "photos", "2026/a b.jpg", nil),
            ("s3://photos/a%20b.jpg", "photos", "a%20b.jpg", nil),
            ("s3://photos//a//b/../c+d=e~f", "photos", "/a//b/../c+d=e~f", nil),
            ("s3://photos/中.jpg", "photos", "中.jpg", nil),
            ("s3://my.bucket-1/a@b:c", "my.bucket-1", "a@b:c", nil),
            ("s3://photos/a?x=1#b", "photos", "a?x=1#b", nil),
            ("s3://photos/a.jpg?versionId=3/x=", "photos", "a.jpg", "3/x="),
            ("s3://photos/a?versionId=1?versionId=2", "photos", "a?versionId=1", "2"),
            ("s3://photos/a?versionid=1", "photos", "a?versionid=1", nil),
        ] as [(String, String, String, String?)])
    func `An object has its bucket, key and version`(
        _ text: String, bucket: String, key: String, version: String?
    ) throws {
        let source = try SourceSpellingTests.rules.source(named: text)
        #expect(source == .s3(bucket: bucket, key: key, versionID: version))
        #expect(try SourceSpellingTests.rules.source(named: source.name ?? "") == source)
    }

    @Test(arguments: [
        ("s3:photos/a", 400), ("s3:/photos/a", 400), ("s3://photos", 400), ("s3://photos/", 400),
        ("s3:///a", 400),
        ("s3://../a", 400), ("s3://pho tos/a", 400), ("s3://user@photos/a", 400), ("s3://photos:443/a", 400),
        ("s3://photos/?versionId=1", 400), ("s3://photos/a?versionId=", 400), ("s3://photos/a\\b", 400),
        ("s3://photos/a\nb", 400), ("s3://photos%2Fa/b", 400), ("s3://other/a", 403), ("s3://Photos/a", 403),
        ("s3://photosx/a", 403), ("s3://photos/" + String(repeating: "a", count: 1_025), 400),
    ])
    func `An object that is malformed or not allowed has its status`(_ text: String, status: Int) throws {
        let error = try #require(throws: ServiceError.self) {
            try SourceSpellingTests.rules.source(named: text)
        }
        #expect(error.status == status)
    }

    @Test(arguments: [
        ("local:///a.jpg", "a.jpg"), ("LOCAL:///2026/a b.jpg", "2026/a b.jpg"), ("local:///a%20b", "a%20b"),
        ("local:///%2e%2e/a", "%2e%2e/a"), ("local:///...", "..."), ("local:///a?b#c", "a?b#c"),
        ("local:///.hidden/..a", ".hidden/..a"), ("local:///中", "中"), ("local:///c:d@e", "c:d@e"),
    ])
    func `A file has a relative path`(_ text: String, path: String) throws {
        let source = try SourceSpellingTests.rules.source(named: text)
        #expect(source == .local(path: path))
        #expect(try SourceSpellingTests.rules.source(named: source.name ?? "") == source)
        #expect(throws: ServiceError.sourceNotAllowed) { try ServiceSourceRules().source(named: text) }
    }

    @Test(arguments: [
        "local:", "local:/a", "local://a", "local:///", "local:////a", "local://host/a", "local:///a/",
        "local:///a//b",
        "local:///..", "local:///.", "local:///a/../b", "local:///a/./b", "local:///../a", "local:///a\\b",
        "local:///a\u{0}", "local:///a\r\nb", "local:a", "local:/../a",
    ])
    func `A malformed file is 400`(_ text: String) throws {
        let error = try #require(throws: ServiceError.self) {
            try SourceSpellingTests.rules.source(named: text)
        }
        #expect(error.status == 400)
    }

    @Test(arguments: [
        ("https://e.com/photos/", "a.jpg", "https://e.com/photos/a.jpg"),
        ("https://e.com/photos", "a.jpg", "https://e.com/photos/a.jpg"),
        ("https://e.com/photos/", "/a.jpg", "https://e.com/photos/a.jpg"),
        ("https://e.com", "2026/a b.jpg?x=1#y", "https://e.com/2026/a%20b.jpg?x=1"),
        ("https://e.com", "evil.org/a.jpg", "https://e.com/evil.org/a.jpg"),
        ("https://e.com", "a@evil.org/b:c", "https://e.com/a@evil.org/b:c"),
        ("https://e.com", "@evil.org", "https://e.com/@evil.org"),
        ("https://e.com/photos/", "?x=..", "https://e.com/photos/?x=.."),
        ("s3://photos/2026/", "a.jpg", "s3://photos/2026/a.jpg"),
        ("s3://photos", "a.jpg", "s3://photos/a.jpg"),
        ("local:///2026", "a.jpg", "local:///2026/a.jpg"), ("local:///", "/a.jpg", "local:///a.jpg"),
        ("https://e.com/photos/", "https://other.com/b", "https://other.com/b"),
    ])
    func `A relative source is below the base`(_ base: String, _ text: String, expected: String) throws {
        var rules = SourceSpellingTests.rules
        rules.base = base
        #expect(try rules.source(named: text).name == expected)
    }

    @Test(
        arguments: [
            "", "//evil.org/a", "../a", "a/../../b", "a/..", ".", "%2e%2e/a", "a/%2E./b", "a:b", "https:a",
            "\\\\evil.org\\a",
            "//", "..%2fa", "..;/a",
        ], ["https://e.com/photos/", "s3://photos/2026/", "local:///2026/"])
    func `A relative source never leaves the base`(_ text: String, base: String) throws {
        var rules = SourceSpellingTests.rules
        rules.base = base
        let error = try #require(throws: ServiceError.self) { try rules.source(named: text) }
        #expect(error.status == 400)
    }

    @Test func `A relative source in a URL has the base`() throws {
        var fixture = NativeFixture()
        #expect(try fixture.failure("/S/plain/2026/a.jpg")?.status == 400)
        fixture.settings.sources.base = "https://e.com/photos/"
        #expect(try fixture.read("/S/plain/2026/a.jpg@webp").source.name == "https://e.com/photos/2026/a.jpg")
        #expect(try fixture.read("/S/b64/YS5qcGc").source.name == "https://e.com/photos/a.jpg")
    }

    @Test func `Sources with equivalent Unicode are different`() {
        for (one, other) in [("é", "e\u{301}"), ("K", "\u{212A}")] {
            #expect(one == other)
            #expect(ServiceSource.local(path: one) != .local(path: other))
            #expect(
                ServiceSource.s3(bucket: "b", key: one, versionID: nil)
                    != .s3(bucket: "b", key: other, versionID: nil))
            let sources: Set<ServiceSource> = [
                .local(path: one), .local(path: other), .local(path: one), .upload,
            ]
            #expect(sources.count == 3)
        }
    }
}
