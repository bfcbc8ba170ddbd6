import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherCLI

@Suite("Doctor") struct DoctorTests {
    private let tool = Tool()

    @Test("doctor reports the decoder beside the tool, its formats and measures")
    func healthy() async throws {
        let text = try await tool("doctor")
        #expect(text.status == 0, "\(text.errors)")
        #expect(text.lines.first?.hasSuffix("/kingfisher-decoder") == true)
        #expect(text.lines.contains { $0.hasPrefix("in force: system calls, resource limits") })
        let json = try await tool("doctor", "--json").objects()
        #expect(json.map { $0["opens"] as? String } == ["nothing", "fonts", "video"])
        #expect(json.allSatisfy { $0["isHealthy"] as? Bool == true })
        let formats = try #require(json.first?["formats"] as? [String])
        #expect(formats.contains("jpeg") && formats.contains("png"))
    }

    @Test("Without a decoder the status is 1, and the text says how to install it")
    func missing() async throws {
        let result = try await tool.run(
            ["doctor"], environment: ["KINGFISHER_DECODER": "/nowhere/kingfisher-decoder"])
        #expect(result.status == 1)
        #expect(result.lines.first?.contains("/nowhere/kingfisher-decoder") == true)
    }
}
