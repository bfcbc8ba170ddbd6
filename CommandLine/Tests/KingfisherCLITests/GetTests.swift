import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite("kingfisher get")
struct GetTests {
    private let tool = Tool()
    private let coffee: Data
    private let server: LoopbackServer

    init() throws {
        let coffee = try Fixtures.data(named: "Photos/coffee.jpg")
        self.coffee = coffee
        server = try LoopbackServer { request in
            switch request.path {
            case let path where path.hasSuffix(".jpg"): .ok(coffee)
            default: .status(404)
            }
        }
    }

    private func url(_ path: String) -> String { server.url(path).absoluteString }

    private func file(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: tool.folder.path(name)))
    }

    @Test(
        "A processed PNG has transparent corners and comes from the disk cache the second time"
    )
    func processedThenCached() async throws {
        let arguments = [
            "get", url("/coffee.jpg"), "-p", "downsample:300x300", "-p", "round:20", "-f", "png", "-o",
            "out.png",
            "--json", "--cache", tool.cache,
        ]
        for cacheType in ["none", "disk"] {
            let result = try await tool.run(arguments)
            #expect(result.status == 0)
            #expect(result.errors.isEmpty)
            let object = try #require(try result.objects().first)
            #expect(object["source"] as? String == url("/coffee.jpg"))
            #expect(object["cacheType"] as? String == cacheType)
            #expect(object["width"] as? Int == 300)
            #expect(object["height"] as? Int == 200)
            #expect(object["format"] as? String == "png")
            #expect(object["output"] as? String == "out.png")
            #expect(try #require(object["milliseconds"] as? Double) > 0)
            let bytes = try file("out.png")
            #expect(object["bytes"] as? Int == bytes.count)
            #expect(bytes.kf.imageFormat == .PNG)
            let pixels = try #require(Image(data: bytes)?.pixels)
            #expect(pixels.alpha(x: 0, y: 0) == 0 && pixels.alpha(x: 299, y: 199) == 0)
            #expect(pixels.alpha(x: 150, y: 100) == 255)
            try FileManager.default.removeItem(atPath: tool.folder.path("out.png"))
        }
        #expect(server.requestCount() == 1)

        server.stop()
        #expect(try await tool.run(arguments).status == 0)
        // The original is also cached, so other steps need no server.
        let other = try await tool(
            "get", url("/coffee.jpg"), "-p", "blur:3", "-o", "b.png", "--cache", tool.cache)
        #expect(other.status == 0)
        let missing = try await tool("get", url("/new.jpg"), "-o", "new.jpg", "--json", "--cache", tool.cache)
        #expect(missing.status == 1)
        #expect(try missing.objects().first?["error"] as? String == "URLSessionError")
        #expect(missing.errors.hasPrefix("kingfisher: \(url("/new.jpg")): "))
        #expect(try tool.folder.names() == ["b.png", "cache", "out.png"])
    }

    @Test("Without steps the bytes are unchanged, from the server and from disk")
    func passThrough() async throws {
        for _ in 1...2 {
            let result = try await tool("get", url("/coffee.jpg"), "-o", "-", "--cache", tool.cache)
            #expect(result.status == 0)
            #expect(result.output == coffee)
            #expect(result.errors.isEmpty)
        }
        #expect(server.requestCount() == 1)
    }

    @Test("An image is converted to other formats, JPEG with a quality")
    func formats() async throws {
        var sizes: [Int] = []
        for (index, arguments) in [
            ["-o", "a.png"], ["-o", "b.jpg", "--quality", "90"], ["-o", "b.jpg", "--quality", "10"],
        ]
        .enumerated() {
            let result = try await tool.run(["get", url("/coffee.jpg"), "--cache", tool.cache] + arguments)
            #expect(result.status == 0)
            let bytes = try file(arguments[1])
            #expect(bytes.kf.imageFormat == (index == 0 ? .PNG : .JPEG))
            let pixels = try #require(Image(data: bytes)?.pixels)
            #expect(pixels.width == 512 && pixels.height == 341)
            sizes.append(bytes.count)
        }
        #expect(sizes[2] < sizes[1] && sizes[1] < sizes[0])
    }

    @Test("An output name of one letter works")
    func shortName() async throws {
        let result = try await tool("get", url("/coffee.jpg"), "-o", "c", "--cache", tool.cache)
        #expect(result.status == 0)
        #expect(try file("c") == coffee)
    }

    @Test("An animated GIF keeps its bytes, from the source and from disk")
    func animation() async throws {
        let cat = try Fixtures.data(named: "Photos/cat.gif")
        let path = Fixtures.url(named: "Photos/cat.gif").path
        for cacheType in ["none", "disk"] {
            let result = try await tool("get", path, "-o", "cat.gif", "--json", "--cache", tool.cache)
            #expect(try result.objects().first?["cacheType"] as? String == cacheType)
            #expect(try file("cat.gif") == cat)
        }
    }

    @Test("Several sources get unique names in a folder; a failure does not stop the others")
    func several() async throws {
        let result = try await tool(
            "get", url("/a/coffee.jpg"), url("/missing"), url("/b/coffee.jpg?x=1"), url("/c%2F..%2Fup.jpg"),
            "ftp://example.com/a", "-o", "out", "--json", "--cache", tool.cache)
        #expect(result.status == 1)
        #expect(try tool.folder.names() == ["cache", "out"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: tool.folder.path("out")).sorted()
                == ["c_.._up.jpg", "coffee-2.jpg", "coffee.jpg"])
        let errors = try result.objects().compactMap { $0["error"] as? String }
        #expect(errors.sorted() == ["invalidHTTPStatusCode", "unsupportedScheme"])
        #expect(result.lines.count == 5)
        #expect(result.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("kingfisher: ") })
    }

    @Test("Four sources load at a time")
    func concurrency() async throws {
        let gate = ServerGate(opensAfter: 4)
        let coffee = coffee
        let slow = try LoopbackServer { _ in .ok(coffee).held(by: gate) }
        let urls = (1...9).map { slow.url("/\($0).jpg").absoluteString }
        let result = try await tool.run(["get", "-o", "out/", "--no-cache"] + urls)
        #expect(result.status == 0)
        #expect(slow.requestCount() == 9)
        #expect(slow.acceptedConnections <= 9)
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path("out")).count == 9)
    }

    @Test("--refresh loads again, --only-from-cache never loads, --no-cache stores nothing")
    func caching() async throws {
        let source = url("/coffee.jpg")
        let miss = try await tool("get", source, "--only-from-cache", "--json", "--cache", tool.cache)
        #expect(miss.status == 1)
        #expect(try miss.objects().first?["error"] as? String == "imageNotExisting")
        #expect(server.requestCount() == 0)

        let unstored = try await tool("get", source, "-o", "a.jpg", "--no-cache")
        #expect(unstored.status == 0)
        #expect(server.requestCount() == 1)

        _ = try await tool("get", source, "-o", "a.jpg", "--cache", tool.cache)
        #expect(server.requestCount() == 2)
        #expect(tool.cachedFiles() == 1)
        let refreshed = try await tool(
            "get", source, "-o", "a.jpg", "--refresh", "--json", "--cache", tool.cache)
        #expect(try refreshed.objects().first?["cacheType"] as? String == "none")
        #expect(server.requestCount() == 3)
        let hit = try await tool(
            "get", source, "-o", "a.jpg", "--only-from-cache", "--json", "--cache", tool.cache)
        #expect(try hit.objects().first?["cacheType"] as? String == "disk")
        #expect(server.requestCount() == 3)
    }

    @Test("A changed file is not read from the cache, a source is not replaced, and data: URIs load")
    func localSources() async throws {
        let path = tool.folder.path("photo.jpg")
        try coffee.write(to: URL(filePath: path))
        let first = try await tool(
            "get", "photo.jpg", "-p", "downsample:100x100", "--json", "--cache", tool.cache)
        #expect(try first.objects().first?["output"] as? String == "photo-2.png")
        #expect(try file("photo.jpg") == coffee)

        let portrait = try Fixtures.data(named: "Photos/astronaut-portrait.jpg")
        try portrait.write(to: URL(filePath: path))
        let second = try await tool(
            "get", "photo.jpg", "-p", "downsample:100x100", "--json", "--cache", tool.cache)
        let object = try #require(try second.objects().first)
        #expect(object["cacheType"] as? String == "none")
        #expect(object["width"] as? Int == 75 && object["height"] as? Int == 100)

        let uri = "data:image/jpeg;base64,\(portrait.base64EncodedString())"
        let inline = try await tool("get", uri, "-o", "inline.jpg", "--cache", tool.cache)
        #expect(inline.status == 0)
        #expect(try file("inline.jpg") == portrait)
    }

    @Test("get prints one line, and nothing with --quiet")
    func lines() async throws {
        let result = try await tool("get", url("/coffee.jpg"), "-o", "c.jpg", "--cache", tool.cache)
        let line = try #require(result.lines.first)
        #expect(line.hasPrefix("c.jpg: 512 x 341 pixels, jpeg, \(coffee.count) bytes, loaded, "))
        #expect(result.errors.isEmpty)
        let quiet = try await tool("get", url("/coffee.jpg"), "-o", "c.jpg", "--quiet", "--cache", tool.cache)
        #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.errors.isEmpty)
    }

    @Test("A progress bar appears on a terminal only, is removed at the end, and not drawn with --quiet")
    func progressBar() async throws {
        let urls = (1...3).map { url("/\($0).jpg") }
        let shown = try await tool.run(["get", "-o", "out/", "--no-cache"] + urls, terminal: true)
        #expect(shown.status == 0)
        #expect(shown.errors.contains("3 of 3"))
        #expect(shown.errors.hasSuffix("\r\u{1B}[K"))
        let quiet = try await tool.run(["get", "-o", "out/", "--no-cache", "--quiet"] + urls, terminal: true)
        #expect(quiet.errors.isEmpty)
    }

    @Test("A format may be given by its file extension", arguments: ["jpeg", "jpg"])
    func formatByExtension(name: String) async throws {
        let result = try await tool.run([
            "get", url("/coffee.jpg"), "-p", "bw", "-f", name, "-o", "grey", "--json", "--cache", tool.cache,
        ])
        let object = try #require(try result.objects().first)
        #expect(object["format"] as? String == "jpeg")
        #expect(try file("grey").starts(with: [0xFF, 0xD8]))
    }
}

extension PixelBuffer {
    /// The alpha of a pixel of an 8-bit RGBA image; nil for another format.
    fileprivate func alpha(x: Int, y: Int) -> UInt8? {
        guard bitsPerPixel == 32, bitsPerComponent == 8 else { return nil }
        return withUnsafeBytes { $0[y * bytesPerRow + x * 4 + 3] }
    }
}
