import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

/// Six frames of 24 x 18 pixels that play four times, converted to and from every animated format.
@Suite("Animations") struct AnimationTests {
    private static let durations = [0.1, 0.1, 0.02, 0.07, 1, 0.1]
    private let source = Fixtures.url(named: "GIF/delays.gif").path
    private let tool = Tool()

    init() { Main.registerFormats() }

    private func get(_ arguments: String...) async throws -> [String: any Sendable] {
        let result = try await tool.run(["get", "--json", "--cache", tool.cache] + arguments)
        #expect(result.status == 0, "\(result.errors)")
        return try #require(try result.objects().first)
    }

    private func file(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: tool.folder.path(name)))
    }

    /// The frames of a file, after a check of its size and timing.
    private func frames(_ name: String, format: String, width: Int = 24, height: Int = 18) async throws
        -> [PixelBuffer]
    {
        let info = try #require(try await tool("info", name, "--json").objects().first)
        #expect(info["format"] as? String == format)
        #expect(info["width"] as? Int == width && info["height"] as? Int == height)
        #expect(info["loopCount"] as? Int == 4)
        #expect(info["durations"] as? [Double] == Self.durations)
        let bytes = try file(name)
        let source = try #require(try ImageCodecs.codec(for: bytes)?.open(EncodedFile(bytes)).frames())
        return try (0..<source.frameCount).map { try #require(source.frame(at: $0)) }
    }

    private func expectSourceFrames(_ frames: [PixelBuffer]) throws {
        let reference = [UInt8](try Fixtures.data(named: "GIF/delays.gif.rgba"))
        #expect(try frames.flatMap { try $0.straightSamples } == reference)
    }

    @Test("GIF to APNG and back keeps all pixels, delays and the loop count")
    func gifAndAPNG() async throws {
        #expect(try await get(source, "-o", "a.apng")["format"] as? String == "apng")
        try expectSourceFrames(await frames("a.apng", format: "apng"))
        #expect(try await get("a.apng", "-o", "b.gif")["format"] as? String == "gif")
        try expectSourceFrames(await frames("b.gif", format: "gif"))
    }

    @Test("Lossless WebP, APNG and GIF keep all pixels, delays and the loop count", .needsWebP)
    func webP() async throws {
        _ = try await get(source, "-o", "a.webp", "--lossless")
        try expectSourceFrames(await frames("a.webp", format: "webp"))
        _ = try await get("a.webp", "-o", "b.apng")
        try expectSourceFrames(await frames("b.apng", format: "apng"))
        _ = try await get("b.apng", "-f", "gif", "-o", "c")
        try expectSourceFrames(await frames("c", format: "gif"))
        _ = try await get("c", "-o", "lossy.webp", "--quality", "20")
        #expect(try await frames("lossy.webp", format: "webp").count == 6)
    }

    @Test("An unchanged format keeps its bytes; an APNG may have the extension of a PNG")
    func bytes() async throws {
        _ = try await get(source, "-o", "a.apng")
        for name in ["b.apng", "b.png"] {
            #expect(try await get("a.apng", "-o", name)["format"] as? String == "apng")
            #expect(try file(name) == file("a.apng"))
        }
        #expect(try await get("b.png", "-o", "folder/")["output"] as? String == "folder/b.apng")
    }

    @Test("A still format gets the first frame", arguments: ["png", "jpeg"])
    func still(format: String) async throws {
        _ = try await get(source, "-o", "a.apng")
        for name in [source, "a.apng"] {
            #expect(try await get(name, "-f", format, "-o", "still")["format"] as? String == format)
            let info = try #require(try await tool("info", "still", "--json").objects().first)
            #expect(info["frames"] as? Int == 1)
        }
    }

    @Test("Steps apply to every frame; the animation and the still have separate cache entries")
    func steps() async throws {
        let steps = ["-p", "crop:10x8,0,0", "-p", "resize:5x4"]
        func run(_ output: String) async throws -> String? {
            let result = try await tool.run(
                ["get", source, "--json", "--cache", tool.cache, "-o", output] + steps)
            #expect(result.status == 0, "\(result.errors)")
            return try result.objects().first?["cacheType"] as? String
        }
        #expect(try await run("still.png") == "none")
        #expect(try await run("a.apng") == "none")
        let fresh = try await frames("a.apng", format: "apng", width: 5, height: 4)
        #expect(Set(try fresh.map { try $0.straightSamples }).count > 1)
        #expect(try await run("b.apng") == "disk")
        #expect(try await run("c.gif") == "disk")
        #expect(try await run("still2.png") == "disk")
        #expect(try file("b.apng") == file("a.apng"))
        #expect(try file("still2.png") == file("still.png"))
        #expect(try await frames("c.gif", format: "gif", width: 5, height: 4).count == 6)
        #expect(
            try #require(Image(data: file("still.png"))?.pixels).straightSamples == fresh[0].straightSamples)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test if the tool was built without WebP.
    static var needsWebP: Self {
        .enabled("built without WebP") {
            Main.registerFormats()
            return OutputFormat.all.contains(.webp)
        }
    }
}

extension PixelBuffer {
    /// Red, green, blue and alpha of all pixels, row by row; zero for transparent pixels.
    var straightSamples: [UInt8] {
        get throws {
            let straight = try converted(to: format.isOpaque ? .rgba8Opaque : .rgba8Straight)
            return (0..<height).flatMap { y in
                (0..<width).flatMap { x in
                    let samples = straight.samples(x: x, y: y)?.map { UInt8(clamping: $0) } ?? []
                    return samples.last == 0 ? [0, 0, 0, 0] : samples
                }
            }
        }
    }
}
