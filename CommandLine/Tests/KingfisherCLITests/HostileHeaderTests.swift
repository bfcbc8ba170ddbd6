import Foundation
import KingfisherTestSupport
import Testing

/// Small files whose headers declare 60,000 x 60,000 pixels.
@Suite struct HostileHeaderTests {
    @Test("An oversized image is refused", arguments: ["huge.jpg", "huge.png"])
    func oversizedImage(name: String) async throws {
        let tool = Tool()
        let source = tool.folder.path(name)
        let file = name == "huge.jpg" ? try HostileFile.hugeJPEG() : try HostileFile.hugePNG()
        try file.write(to: URL(filePath: source))
        for step in ["resize:100x100", "downsample:100x100"] {
            let result = try await tool("get", source, "-p", step, "-o", "out.png", "--json", "--no-cache")
            #expect(result.status == 1)
            let object = try #require(try result.objects().first)
            #expect(object["error"] as? String == "processingFailed")
            #expect(!FileManager.default.fileExists(atPath: tool.folder.path("out.png")))
        }
    }
}
