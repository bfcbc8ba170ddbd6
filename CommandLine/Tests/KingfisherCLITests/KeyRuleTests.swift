import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

@Suite struct KeyRuleTests {
    private let tool = Tool()
    private let server: LoopbackServer

    init() throws {
        let coffee = try Fixtures.data(named: "Photos/coffee.jpg")
        server = try LoopbackServer { _ in .ok(coffee) }
    }

    @Test(arguments: [
        ("presigned", "https://a.example/1.jpg?token=x&w=3"),
        ("drop:X-Amz-Signature", "https://a.example/1.jpg?X-Amz-Date=1&token=x&w=3"),
        ("drop:X-Amz-Signature,X-Amz-Date,token", "https://a.example/1.jpg?w=3"),
        ("keep:w", "https://a.example/1.jpg?w=3"), ("keep:a:b", "https://a.example/1.jpg"),
    ])
    func `A rule computes the key`(text: String, key: String) throws {
        let url = "https://a.example/1.jpg?X-Amz-Date=1&X-Amz-Signature=a&token=x&w=3"
        let keys = CacheKeys(steps: [], rule: try KeyRule(text).rule)
        #expect(try keys.keys(for: url) == [key])
        #expect(try CacheKeys(steps: [], rule: nil).keys(for: url) == [url])
    }

    @Test(arguments: [
        "", "signed", "Presigned", "presigned:", "presigned:a", "drop", "drop:", "drop:a,", "drop:,a", "keep",
        "keep:", "keep:a,,b", "drop a",
    ])
    func `A malformed rule is refused`(text: String) {
        #expect(throws: (any Error).self) { try KeyRule(text) }
    }

    @Test func `A file keeps its key`() throws {
        let photo = Fixtures.url(named: "Photos/coffee.jpg").path
        let keys = CacheKeys(steps: [], rule: try KeyRule("keep:a").rule)
        #expect(try keys.keys(for: photo) == CacheKeys(steps: [], rule: nil).keys(for: photo))
    }

    @Test func `Presigned URLs of one image are loaded once, and found and removed by each other`()
        async throws
    {
        func source(_ number: Int) -> String {
            server.url("/1.jpg?X-Amz-Date=\(number)&X-Amz-Signature=\(number)").absoluteString
        }
        let options = ["--key-rule", "presigned", "--cache", tool.cache, "--json"]
        for (number, type) in [(1, "none"), (2, "disk")] {
            let result = try await tool.run(["get", source(number), "-o", "out.jpg"] + options)
            #expect(try result.objects().first?["cacheType"] as? String == type, "\(result.errors)")
        }
        #expect(server.requestCount() == 1)
        #expect(try await tool.run(["cache", "path", source(3)] + options).status == 0)
        #expect(try await tool.run(["cache", "path", source(1)] + options.dropFirst(2)).status == 1)
        #expect(try await tool.run(["cache", "remove", source(4)] + options).status == 0)
        #expect(try await tool.run(["cache", "path", source(1)] + options).status == 1)
    }
}
