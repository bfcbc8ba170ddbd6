import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@Suite("Failing sources")
struct FaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: String
        let response: @Sendable (Data) -> ServerResponse

        init(_ name: String, _ error: String, _ response: @escaping @Sendable (Data) -> ServerResponse) {
            testDescription = name
            self.error = error
            self.response = response
        }
    }

    private let tool = Tool()

    static let faults = [
        Fault("404", "invalidHTTPStatusCode") { _ in .status(404) },
        Fault("500 with an image", "invalidHTTPStatusCode") { .status(500, body: $0) },
        Fault("empty", "processingFailed") { _ in .ok(Data()) },
        Fault("HTML", "processingFailed") { _ in .ok(Data("<!DOCTYPE html><title>no</title>".utf8)) },
        Fault("truncated image, correct length", "processingFailed") { .ok($0.prefix($0.count / 2)) },
        Fault("truncated image, length of the whole", "URLSessionError") {
            .partial($0.prefix($0.count / 2), of: $0.count, then: .close)
        },
        Fault("reset during the body", "URLSessionError") {
            .partial($0.prefix($0.count / 2), of: $0.count, then: .reset)
        },
        Fault("chunks without a final chunk", "URLSessionError") { .truncatedChunks([$0]) },
        Fault("a length of 2^63 - 1", "URLSessionError") { .lying($0, announcing: "9223372036854775807") },
        Fault("a negative length", "URLSessionError") { .lying($0, announcing: "-1") },
        Fault("not HTTP", "URLSessionError") { _ in .raw("hello\r\n\r\n") },
        Fault("a redirect to itself", "URLSessionError") { _ in .redirect(to: "/image.jpg") },
        Fault("a redirect to a file", "URLSessionError") { _ in .redirect(to: "file:///etc/hostname") },
    ]

    @Test("A failing server gives its error, status 1, no file and no cache entry", arguments: faults)
    func fault(fault: Fault) async throws {
        let image = try Fixtures.data(named: "Photos/coffee.jpg")
        let server = try LoopbackServer { _ in fault.response(image) }
        try await expectFailure(of: server.url("/image.jpg").absoluteString, fault.error)
    }

    @Test(
        "An unreachable, missing or invalid source gives its error",
        arguments: [
            ("http://127.0.0.1:1/a.jpg", "URLSessionError"),
            ("http://missing.invalid/a.jpg", "URLSessionError"),
            ("missing.png", "dataProviderError"),
            ("/", "dataProviderError"),
            ("/dev/null", "dataProviderError"),
            ("data:text/plain,hello", "processingFailed"),
            ("data:image/png;base64,!", "invalidDataURI"),
            ("file://otherhost/etc/hostname", "otherHost"),
            ("gopher://example.com/", "unsupportedScheme"),
            ("http://", "invalidURL"),
            ("", "emptySource"),
        ])
    func source(text: String, error: String) async throws {
        try await expectFailure(of: text, error)
    }

    @Test("An output that cannot be written is an error and creates no file")
    func output() async throws {
        let source = Fixtures.url(named: "Photos/coffee.jpg").path
        for output in ["missing/a.jpg", "/dev/full"] {
            let result = try await tool(
                "get", source, "-o", output, "-f", "jpeg", "--json", "--cache", tool.cache)
            #expect(result.status == 1)
            let object = try #require(try result.objects().first)
            #expect(object["source"] as? String == source)
            #expect(object["error"] as? String == "cannotWrite")
            let reason = String(cString: strerror(output == "/dev/full" ? ENOSPC : ENOENT))
            #expect(object["message"] as? String == "cannot write \(output): \(reason)")
            #expect(result.errors == "kingfisher: cannot write \(output): \(reason)\n")
        }
        #expect(try tool.folder.names() == ["cache"])
    }

    @Test("The error for an output folder names the folder, not the source")
    func outputFolder() async throws {
        let source = Fixtures.url(named: "Photos/coffee.jpg").path
        let result = try await tool("get", source, "-o", "/dev/null/photos/", "--no-cache")
        #expect(result.status == 1)
        let reason = String(cString: strerror(ENOTDIR))
        #expect(result.errors == "kingfisher: cannot write /dev/null/photos: \(reason)\n")
    }

    @Test("A cache folder that cannot be created is an error for every source")
    func cacheFolder() async throws {
        let result = try await tool(
            "get", "a.png", "b.png", "-o", "out", "--json", "--cache", "/dev/null/cache")
        #expect(result.status == 1)
        #expect(
            try result.objects().map { $0["error"] as? String } == [
                "cannotCreateDirectory", "cannotCreateDirectory",
            ])
    }

    private func expectFailure(
        of source: String, _ error: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await tool(
            "get", source, "-o", "out.png", "-p", "downsample:50x50", "--json", "--cache", tool.cache)
        #expect(result.status == 1, sourceLocation: sourceLocation)
        let object = try #require(try result.objects().first, sourceLocation: sourceLocation)
        #expect(object["source"] as? String == source, sourceLocation: sourceLocation)
        #expect(object["error"] as? String == error, sourceLocation: sourceLocation)
        let message = try #require(object["message"] as? String, sourceLocation: sourceLocation)
        #expect(!message.isEmpty, sourceLocation: sourceLocation)
        #expect(
            source.isEmpty || !message.contains("(\(source))"), "the source is named twice",
            sourceLocation: sourceLocation)
        #expect(result.errors == "kingfisher: \(source): \(message)\n", sourceLocation: sourceLocation)
        #expect(try tool.folder.names() == ["cache"], sourceLocation: sourceLocation)
        #expect(tool.cachedFiles() == 0, sourceLocation: sourceLocation)
    }
}
