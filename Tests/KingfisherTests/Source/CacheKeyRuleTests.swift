import Foundation
import Testing

@testable import Kingfisher

/// URLs, and the keys that the rules of the library compute for them.
@Suite struct CacheKeyRuleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let url: String
        let key: String

        init(_ url: String, _ key: String) { (self.url, self.key) = (url, key) }

        /// The key is the URL.
        init(unchanged url: String) { self.init(url, url) }

        var testDescription: String { url }
    }

    private func key(_ url: String, _ rule: CacheKeyRule) throws -> String {
        let parsed = try #require(URL(string: url))
        // Otherwise the expected text of a row would not be the text that the rule gets.
        #expect(parsed.absoluteString == url)
        return rule.key(for: parsed)
    }

    @Test(arguments: [
        Row("https://a.example/1.png?token=x", "https://a.example/1.png"),
        Row("https://a.example/1.png?w=3&token=x&h=4", "https://a.example/1.png?w=3&h=4"),
        Row("https://a.example/1.png?token&token=&token=a=b&w=3", "https://a.example/1.png?w=3"),
        Row("https://a.example/1.png?%74oken=x&w=3", "https://a.example/1.png?w=3"),
        Row("https://a.example/1.png?a%26b=x&a=1&b=2", "https://a.example/1.png?a=1&b=2"),
        Row("https://a.example/1.png?caf%C3%A9=x&w=3", "https://a.example/1.png?w=3"),
        Row("https://a.example/1.png?token=x#token=y", "https://a.example/1.png#token=y"),
        Row("https://a.example/1.png?w=%c3%a9+%20&token=x&&=5&", "https://a.example/1.png?w=%c3%a9+%20&&=5&"),
        Row("https://a.example/1.png?&token=x", "https://a.example/1.png"),
        Row("https://a.example/1.png?w=3?token=y&token=x", "https://a.example/1.png?w=3?token=y"),
        Row(unchanged: "https://a.example/1.png"),
        Row(unchanged: "https://a.example/1.png?"),
        Row(unchanged: "https://a.example/1.png?Token=x&tokens=y&xtoken=z&w=token"),
        Row(unchanged: "https://a.example/token=x/1.png#?token=x"),
        Row(unchanged: "https://a.example/1.png?%2574oken=x"),
        Row(unchanged: "https://a.example/1.png?cafe%CC%81=x"),
        Row(unchanged: "data:,a?token=x"),
    ])
    func `Items are dropped by name, and the other text stays`(row: Row) throws {
        #expect(try key(row.url, .droppingQueryItems(named: ["token", "a&b", "café"])) == row.key)
    }

    @Test(arguments: [
        Row("https://a.example/1.png?w=3&token=x&h=4", "https://a.example/1.png?w=3&h=4"),
        Row("https://a.example/1.png?h=4&x&%77=%33", "https://a.example/1.png?h=4&%77=%33"),
        Row("https://a.example/1.png?token=x#f", "https://a.example/1.png#f"),
        Row("https://a.example/1.png?w=3&&", "https://a.example/1.png?w=3"),
        Row("https://a.example/1.png?", "https://a.example/1.png"),
        Row(unchanged: "https://a.example/1.png?h=4&w=3&w=2"),
        Row(unchanged: "https://user@a.example:81/a%2fb.png"),
        Row(unchanged: "data:,a?token=x"),
    ])
    func `Items are kept by name, in their order`(row: Row) throws {
        #expect(try key(row.url, .keepingQueryItems(named: ["w", "h"])) == row.key)
    }

    @Test func `An empty set of names drops nothing, or keeps nothing`() throws {
        let url = "https://a.example/1.png?w=3&&h"
        #expect(try key(url, .droppingQueryItems(named: [])) == url)
        #expect(try key(url, .keepingQueryItems(named: [])) == "https://a.example/1.png")
    }

    @Test func `A file keeps its key`() {
        let file = URL(filePath: "/tmp/a?token=x.png")
        for rule in [CacheKeyRule.keepingQueryItems(named: []), .presigned] {
            #expect(rule.key(for: file) == file.cacheKey)
        }
    }

    @Test(arguments: [
        // Amazon S3, Signature Version 4.
        Row(
            "https://photos.s3.eu-west-1.amazonaws.com/a%20b/1.jpg?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20260101%2Feu-west-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20260101T000000Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=0123456789abcdef",
            "https://photos.s3.eu-west-1.amazonaws.com/a%20b/1.jpg"),
        Row(
            "https://s3.amazonaws.com/b/1.jpg?X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&versionId=3%2FL4"
                + "&X-Amz-Security-Token=IQoJb3JpZ2luX2VjEAMaCXVz%2F%2F%3D%3D&X-Amz-Signature=ab"
                + "&response-content-type=image%2Fjpeg&x-id=GetObject#f",
            "https://s3.amazonaws.com/b/1.jpg?versionId=3%2FL4&response-content-type=image%2Fjpeg"
                + "&x-id=GetObject#f"),
        Row(
            "https://p.example/1.jpg?w=300&X-Amz-Algorithm=AWS4-ECDSA-P256-SHA256&X-Amz-Region-Set=%2A"
                + "&X-Amz-S3session-Token=t&X-Amz-Signature=3045&X-Amz-Meta=1",
            "https://p.example/1.jpg?w=300&X-Amz-Meta=1"),
        // Amazon S3, Signature Version 2.
        Row(
            "https://b.s3.amazonaws.com/1.jpg?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Expires=1767225600"
                + "&x-amz-security-token=t&Signature=vjbyPxybdZaNmGa%2ByT272YEAiv4%3D&versionId=7",
            "https://b.s3.amazonaws.com/1.jpg?versionId=7"),
        // Google Cloud Storage, V4 and V2.
        Row(
            "https://storage.googleapis.com/b/1.jpg?X-Goog-Algorithm=GOOG4-RSA-SHA256"
                + "&X-Goog-Credential=me%40p.iam.gserviceaccount.com%2F20260101%2Fauto%2Fstorage%2Fgoog4_request"
                + "&X-Goog-Date=20260101T000000Z&X-Goog-Expires=900&X-Goog-SignedHeaders=host"
                + "&generation=1360887697105000&X-Goog-Signature=247a",
            "https://storage.googleapis.com/b/1.jpg?generation=1360887697105000"),
        Row(
            "https://storage.googleapis.com/b/1.jpg?GoogleAccessId=me%40p.iam.gserviceaccount.com"
                + "&Expires=1767225600&Signature=BClz9e%3D&response-content-disposition=inline",
            "https://storage.googleapis.com/b/1.jpg?response-content-disposition=inline"),
        // Azure Storage: a service SAS, a user delegation SAS, and one with a stored access policy.
        Row(
            "https://me.blob.core.windows.net/c/1.jpg?sv=2024-11-04&st=2026-01-01T00%3A00%3A00Z"
                + "&se=2026-01-02T00%3A00%3A00Z&sr=b&sp=r&sip=168.1.5.60&spr=https&rsct=image%2Fjpeg"
                + "&sig=Z%2FRHIX5Xcg0Mq2rqI3OlWTjEg2tYkboXr1P9ZUXDtkk%3D",
            "https://me.blob.core.windows.net/c/1.jpg?rsct=image%2Fjpeg"),
        Row(
            "https://me.blob.core.windows.net/c/1.jpg?snapshot=2026-01-01T00%3A00%3A00.0000000Z&sp=r"
                + "&skoid=1&sktid=2&skt=3&ske=4&sks=b&skv=2024-11-04&saoid=5&suoid=6&scid=7&sdd=1&ses=s"
                + "&se=2026-01-02&sr=bs&sig=a",
            "https://me.blob.core.windows.net/c/1.jpg?snapshot=2026-01-01T00%3A00%3A00.0000000Z"),
        Row(
            "https://me.blob.core.windows.net/c/1.jpg?sv=2024-11-04&si=readers&sr=c&sig=a&versionid=8",
            "https://me.blob.core.windows.net/c/1.jpg?versionid=8"),
        Row(
            "https://me.blob.core.windows.net/c/1.jpg?sv=2024-11-04&ss=b&srt=o&sp=r&se=2026-01-02&sig=a",
            "https://me.blob.core.windows.net/c/1.jpg"),
        // Amazon CloudFront: canned and custom policies, also before S3.
        Row(
            "https://d111111abcdef8.cloudfront.net/1.jpg?size=large&Expires=1767225600"
                + "&Signature=nitfHRCrtziwO2HwPfWw~yYDhUF5EwRunQA-j19DzZrvDh6hQ73lDx_&Key-Pair-Id=K2JCJMDEHXQW5F",
            "https://d111111abcdef8.cloudfront.net/1.jpg?size=large"),
        Row(
            "https://d111111abcdef8.cloudfront.net/1.jpg?Policy=eyJANCg&Signature=n_&Key-Pair-Id=K2"
                + "&Hash-Algorithm=SHA256",
            "https://d111111abcdef8.cloudfront.net/1.jpg"),
        Row(
            "https://cdn.example/1.jpg?X-Amz-Date=1&X-Amz-Signature=a&Expires=1&Signature=b&Key-Pair-Id=K2",
            "https://cdn.example/1.jpg"),
        // A name that is percent-encoded.
        Row("https://p.example/1.jpg?X%2DAmz%2DSignature=a&X-Amz-Date=1&w=1", "https://p.example/1.jpg?w=1"),
    ])
    func `A presigned URL loses its signature`(row: Row) throws {
        #expect(try key(row.url, .presigned) == row.key)
    }

    @Test(arguments: [
        "https://a.example/1.jpg",
        "https://a.example/1.jpg?w=300&versionId=7&response-content-type=image%2Fjpeg",
        "https://a.example/1.jpg?X-Amz-Date=20260101T000000Z&X-Amz-Expires=900",
        "https://a.example/1.jpg?x-amz-signature=a&X-Amz-Signature2=b",
        "https://a.example/1.jpg?x=X-Amz-Signature#?X-Amz-Signature=a&X-Amz-Date=1",
        "https://a.example/X-Amz-Signature=a&X-Amz-Date=1/1.jpg",
        "https://a.example/1.jpg?AWSAccessKeyId=a&Expires=1",
        "https://a.example/1.jpg?AWSAccessKeyId=a&Signature=b",
        "https://a.example/1.jpg?Expires=1&Signature=b",
        "https://a.example/1.jpg?X-Goog-Date=1&X-Goog-Credential=a",
        "https://a.example/1.jpg?GoogleAccessId=a&Signature=b",
        "https://a.example/1.jpg?sig=a&w=300&sp=r",
        "https://a.example/1.jpg?sv=2024-11-04&se=2026-01-02&sp=r",
        "https://a.example/1.jpg?Policy=a&Signature=b",
        "https://a.example/1.jpg?Key-Pair-Id=K2&Expires=1",
        "data:,a?X-Amz-Signature=a",
    ])
    func `A URL without the marks of a presigned one stays`(url: String) throws {
        #expect(try key(url, .presigned) == url)
    }

    @Test(arguments: [
        "versionId=1", "response-content-type=image%2Fpng", "response-cache-control=no-store", "partNumber=2",
        "generation=3", "userProject=p", "snapshot=s", "versionid=v", "rscc=a", "rscd=a", "rsce=a", "rscl=a",
        "rsct=a", "w=300", "X-Amz-Meta=1", "sig2=a",
    ])
    func `What chooses the object or its header fields stays`(item: String) throws {
        let signatures = [
            "X-Amz-Signature=a", "AWSAccessKeyId=a&Signature=b&Expires=1", "X-Goog-Signature=a",
            "GoogleAccessId=a&Signature=b&Expires=1", "sig=a&sv=b", "Key-Pair-Id=a&Signature=b",
        ]
        for signature in signatures {
            for query in ["\(item)&\(signature)", "\(signature)&\(item)"] {
                #expect(try key("https://a.example/1?\(query)", .presigned) == "https://a.example/1?\(item)")
            }
        }
    }

    @Test func `A long query takes linear time`() throws {
        let items = repeatElement("X-Amz-Date=%41&a=1", count: 100_000).joined(separator: "&")
        let start = ContinuousClock.now
        let result = try key("https://a.example/1?X-Amz-Signature=a&\(items)", .presigned)
        #expect(result.utf8.count == "https://a.example/1?".utf8.count + 100_000 * 4 - 1)
        #expect(.now - start < .seconds(20))
    }
}
