import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite("Writing options") struct WritingOptionsTests {
    private let tool = Tool()
    private let photo = Fixtures.url(named: "Photos/coffee.jpg").path

    private func file(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: tool.folder.path(name)))
    }

    private func get(_ output: String, _ arguments: String...) async throws -> Tool.Result {
        try await tool.run(["get", photo, "-o", output, "--no-cache"] + arguments)
    }

    @Test("--max-bytes lowers the quality, and names the smallest file if that is not enough")
    func maximumBytes() async throws {
        #expect(try await get("a.jpg", "--max-bytes", "15000").status == 0)
        #expect(try file("a.jpg").count <= 15_000 && file("a.jpg").count > 10_000)
        // A file that fits is copied.
        #expect(try await get("b.jpg", "--max-bytes", "99999999").status == 0)
        #expect(try file("b.jpg") == Data(contentsOf: URL(filePath: photo)))
        let failed = try await get("c.jpg", "--max-bytes", "100", "--json")
        #expect(failed.status == 1)
        let object = try #require(try failed.objects().first)
        #expect(object["error"] as? String == "cannotEncode")
        let message = try #require(object["message"] as? String)
        #expect(message.contains(/cannot be encoded in 100 bytes; the smallest file has [0-9]+/))
        #expect(try tool.folder.names() == ["a.jpg", "b.jpg"])
    }

    @Test("--colors writes a palette, --progressive several scans, --chroma its subsampling")
    func formats() async throws {
        #expect(try await get("a.png", "--colors", "16").status == 0)
        #expect(try file("a.png")[24..<26] == Data([4, 3]))
        #expect(try await get("b.png", "--colors", "4", "--max-bytes", "20000").status == 0)
        #expect(try file("b.png").count <= 20_000)
        #expect(try await get("a.jpg", "--progressive", "--chroma", "422").status == 0)
        let frame = try #require(try file("a.jpg").range(of: Data([0xFF, 0xC2])))
        #expect(try file("a.jpg")[frame.lowerBound + 11] == 0x21)
        #expect(try await get("b.jpg", "--effort", "0").status == 0)
        #expect(try await get("c.jpg", "--effort", "9").status == 0)
        #expect(try file("c.jpg").count < file("b.jpg").count)
    }

    @Test(
        "Options that a format does not have, and values out of range, are refused",
        arguments: [
            ["-o", "a.png", "--chroma", "420"], ["-o", "a.png", "--progressive"],
            ["-o", "a.jpg", "--colors", "9"], ["-o", "a.jpg", "--chroma", "411"],
            ["-o", "a.png", "--colors", "1"], ["-o", "a.png", "--colors", "257"],
            ["-o", "a.jpg", "--effort", "11"], ["-o", "a.jpg", "--effort", "-1"],
            ["-o", "a.jpg", "--max-bytes", "0"], ["-o", "a.jpg", "--max-bytes", "10k"], ["--jobs", "0"],
            ["--jobs", "65"],
        ])
    func refused(arguments: [String]) async throws {
        let result = try await tool.run(["get", photo] + arguments)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("kingfisher: "))
        #expect(try tool.folder.names() == [])
    }

    @Test("A watermark is drawn from a file; a missing one is an error")
    func watermark() async throws {
        let mark = Fixtures.url(named: "Photos/badge.png").path
        #expect(try await get("plain.png", "-p", "downsample:300x300").status == 0)
        let step = "watermark:\(mark),topLeft,1"
        #expect(try await get("marked.png", "-p", "downsample:300x300", "-p", step).status == 0)
        #expect(try file("plain.png") != file("marked.png"))
        let faint = "watermark:\(mark),topLeft,0"
        #expect(try await get("faint.png", "-p", "downsample:300x300", "-p", faint).status == 0)
        let samples = try ["plain.png", "faint.png"].map {
            try #require(Image(data: file($0))?.pixels).straightSamples
        }
        #expect(samples[0] == samples[1])
        let failed = try await get("no.png", "-p", "watermark:no.png")
        #expect(failed.status == 1)
        #expect(failed.errors == "kingfisher: cannot read the watermark no.png: no such file\n")
    }
}
