import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

@Suite("Frames of videos") struct VideoTests {
    private let tool = Tool()

    private func path(_ name: String) -> String { Fixtures.url(named: "Video/" + name).path }

    @Test(
        "A time is seconds, or minutes and hours before them, or the begin of an interval",
        arguments: [
            ("#t=12.5", 12.5), ("#t=0", 0), ("#t=7.", 7), ("#t=npt:3", 3), ("#t=1:02", 62),
            ("#t=1:02:03.25", 3723.25),
            ("#t=10,20", 10), ("#t=10,", 10),
        ] as [(String, Double)])
    func times(fragment: String, seconds: Double) throws {
        let folder = URL(filePath: "/videos", directoryHint: .isDirectory)
        #expect(
            try SourceArgument("clip.mp4" + fragment, relativeTo: folder)
                == .frame(URL(filePath: "/videos/clip.mp4"), seconds: seconds))
        let url = try #require(URL(string: "https://a.test/clip.mp4?a=1"))
        #expect(
            try SourceArgument(url.absoluteString + fragment, relativeTo: folder)
                == .frame(url, seconds: seconds))
    }

    @Test(
        "What is no time belongs to the name",
        arguments: [
            "clip#t=", "clip#t=x", "clip#t=-1", "clip#t=1:75", "clip#time=3", "clip#t=1&u=2", "clip#t=.5",
        ])
    func names(text: String) throws {
        let folder = URL(filePath: "/videos", directoryHint: .isDirectory)
        #expect(try SourceArgument(text, relativeTo: folder) == .file(URL(filePath: "/videos/" + text)))
    }

    @Test("get writes a frame, with steps, and names it after the video")
    func frames() async throws {
        let written = try await tool(
            "get", path("h264.mp4") + "#t=1.04", path("rotated.mp4") + "#t=0", "-p", "downsample:32x32",
            "-o", "frames/", "--json", "--no-cache")
        #expect(written.status == 0, "\(written.errors)")
        let sizes = try written.objects().map { [$0["width"] as? Int, $0["height"] as? Int] }
        #expect(sizes.sorted { $0[0] ?? 0 < $1[0] ?? 0 } == [[21, 32], [32, 21]])
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path("frames")).sorted()
        #expect(names == ["h264.png", "rotated.png"])
        let failed = try await tool("get", path("audio.mp4") + "#t=1", "-o", "none.png")
        #expect(failed.status == 1 && failed.errors.contains("without a video track"))
        let inline = try await tool("get", "data:,a#t=1", "-o", "none.png")
        #expect(inline.status == 1 && inline.errors.contains("only a URL or a file can have a time"))
    }

    @Test("A frame is cached until the video changes; a file named like a time is a file")
    func caching() async throws {
        let video = URL(filePath: tool.folder.path("clip.mp4"))
        try FileManager.default.copyItem(at: Fixtures.url(named: "Video/h264.mp4"), to: video)
        func origin() async throws -> String? {
            let line = try await tool("get", "clip.mp4#t=1", "--cache", tool.cache, "-o", "a.jpg", "--json")
            return try line.objects().first?["cacheType"] as? String
        }
        #expect(try await origin() == "none")
        #expect(try await origin() == "disk")
        try Fixtures.data(named: "Video/hevc.mp4").write(to: video)
        #expect(try await origin() == "none")
        let image = URL(filePath: tool.folder.path("clip.png#t=1"))
        try FileManager.default.copyItem(at: Fixtures.url(named: "Photos/badge.png"), to: image)
        #expect(try await tool("info", image.path).status == 0)
    }

    @Test("A frame of a server is requested with the fields of -H")
    func remote() async throws {
        let file = try Fixtures.data(named: "Video/h264.mp4")
        let server = try LoopbackServer { request in
            guard request.header("X-Key") == "secret" else { return .status(403) }
            return .status(
                206, headers: [("Content-Range", "bytes 0-\(file.count - 1)/\(file.count)")], body: file)
        }
        defer { server.stop() }
        let url = server.url("/clip.mp4").absoluteString + "#t=1"
        let written = try await tool("get", url, "-H", "X-Key: secret", "-o", "a.jpg", "--no-cache")
        #expect(written.status == 0, "\(written.errors)")
        let refused = try await tool("get", url, "-o", "b.jpg", "--no-cache")
        #expect(refused.status == 1 && refused.errors.contains("403"))
    }
}
