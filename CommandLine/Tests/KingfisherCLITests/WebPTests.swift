import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

@Suite("WebP", .needsWebP) struct WebPTests {
    private let tool = Tool()

    init() { Main.registerFormats() }

    private func file(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: tool.folder.path(name)))
    }

    private func pixels(_ name: String) throws -> [UInt8] {
        try #require(Image(data: file(name))?.pixels).straightSamples
    }

    @Test(
        "A PNG made from WebP has the pixels of libwebp's own tool",
        arguments: ["alpha-exact", "alpha-fast-q60"])
    func decodes(name: String) async throws {
        let source = Fixtures.url(named: "WebP/\(name).webp").path
        let result = try await tool("get", source, "-o", "a.png", "--cache", tool.cache)
        #expect(result.status == 0, "\(result.errors)")
        let reference = [UInt8](try Fixtures.data(named: "WebP/\(name).webp.rgba"))
        let seen = stride(from: 0, to: reference.count, by: 4).flatMap {
            reference[$0 + 3] == 0 ? [0, 0, 0, 0] : reference[$0..<$0 + 4]
        }
        #expect(try pixels("a.png") == seen)
    }

    @Test(
        "Lossless keeps every pixel, quality changes the size, and without either the bytes are unchanged"
    )
    func encodes() async throws {
        for name in ["Photos/badge.png", "PNG/rgb8.png"] {
            let source = Fixtures.url(named: name).path
            let made = try await tool("get", source, "-f", "webp", "--lossless", "-o", "a", "--no-cache")
            #expect(made.status == 0, "\(made.errors)")
            #expect(try file("a").kf.imageFormat.name == "WEBP")
            #expect(
                try pixels("a") == #require(Image(data: Fixtures.data(named: name))?.pixels).straightSamples)
        }
        let photo = Fixtures.url(named: "Photos/coffee.jpg").path
        var sizes: [Int] = []
        for quality in ["90", "20"] {
            let result = try await tool(
                "get", photo, "-o", "\(quality).webp", "--quality", quality, "--no-cache")
            #expect(result.status == 0, "\(result.errors)")
            sizes.append(try file("\(quality).webp").count)
        }
        #expect(sizes[1] * 2 < sizes[0])
        #expect(try await tool("get", "90.webp", "-f", "webp", "-o", "b.webp", "--no-cache").status == 0)
        #expect(try file("b.webp") == file("90.webp"))
        #expect(
            try await tool("get", "90.webp", "-o", "b.webp", "--quality", "20", "--no-cache").status == 0)
        #expect(try file("b.webp").count * 2 < sizes[0])
    }

    @Test("A server's bytes are unchanged from disk; steps produce PNG by default")
    func throughTheCache() async throws {
        let bytes = try Fixtures.data(named: "WebP/alpha-exact.webp")
        let server = try LoopbackServer { _ in .ok(bytes) }
        let url = server.url("/image").absoluteString
        for cacheType in ["none", "disk"] {
            let result = try await tool("get", url, "-o", "out/", "--json", "--cache", tool.cache)
            let object = try #require(try result.objects().first)
            #expect(object["cacheType"] as? String == cacheType)
            #expect(object["output"] as? String == "out/image.webp")
            #expect(try file("out/image.webp") == bytes)
            try FileManager.default.removeItem(atPath: tool.folder.path("out/image.webp"))
        }
        #expect(server.requestCount() == 1)
        for (arguments, format) in [([], "png"), (["-f", "webp"], "webp")] {
            let result = try await tool.run(
                ["get", url, "-p", "blur:2", "-o", "out/", "--json", "--cache", tool.cache] + arguments)
            #expect(try result.objects().first?["output"] as? String == "out/image.\(format)")
            #expect(try file("out/image.\(format)").kf.imageFormat.name.lowercased() == format)
        }
    }

    @Test(
        "The error names the problem with the file",
        arguments: [("get", "processingFailed"), ("info", "unreadableImage")])
    func malformed(command: String, error: String) async throws {
        let whole = try Fixtures.data(named: "WebP/alpha-exact.webp")
        // A header of 16,384 x 16,384 lossless pixels without data (RFC 9649, 3.4).
        let oversized =
            Data("RIFF".utf8) + [18, 0, 0, 0] + Data("WEBPVP8L".utf8)
            + [5, 0, 0, 0, 0x2F, 0xFF, 0xFF, 0xFF, 0x0F, 0]
        for (bytes, words) in [
            (whole.prefix(whole.count - 40), "the WEBP is truncated"),
            (
                oversized,
                "the WEBP has 16384 x 16384 pixels, more than the 100000000 of ImageLimits.maximumPixels"
            ),
            (Data(), "the body is empty"),
            (
                Data("<!doctype html>\n<p>no".utf8),
                #"HTML, not an image; it begins with "<!doctype html>\x0A"…"#
            ),
        ] {
            try bytes.write(to: URL(filePath: tool.folder.path("a.webp")))
            let result = try await tool(command, "a.webp", "--json")
            #expect(result.status == 1)
            #expect(try result.objects().first?["error"] as? String == error)
            #expect(result.errors == "kingfisher: a.webp: \(words)\n")
        }
    }
}
