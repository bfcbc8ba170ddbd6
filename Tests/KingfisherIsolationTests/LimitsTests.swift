import CSandbox
import KingfisherTestSupport
import Testing

@testable import KingfisherIsolation

/// The figures of SECURITY.md for decoder processes.
@Suite("Isolation: limits")
struct LimitsTests {
    @Test("The table of SECURITY.md has the figures of the sources")
    func figures() throws {
        let settings = DecoderSettings()
        let figures = [
            "DecoderSettings.memoryLimit": settings.memoryLimit == 1_536 << 20 ? "1,536 MiB" : "",
            "DecoderSettings.cpuTimeLimit": "\(settings.cpuTimeLimit.components.seconds) s",
            "DecoderSettings.wallTimeLimit": "\(settings.wallTimeLimit.components.seconds) s",
            "DecoderProcess.cpuSeconds": "\(DecoderProcess.cpuSeconds) s",
            "kf_sandbox_font_files": "\(kf_sandbox_font_files)",
            "kf_sandbox_font_threads": "\(kf_sandbox_font_threads)",
            "DecoderSettings.maximumFiles": settings.maximumFiles == 1_000 ? "1,000" : "",
            "DecoderSettings.idleTime": "\(settings.idleTime.components.seconds) s",
            "Arena.maximumBytes": "\(Arena.maximumBytes >> 30) GiB",
            "Arena.retainedBytes": "\(Arena.retainedBytes >> 20) MiB",
            "Message":
                Message.maximumBytes == 4_096 && Message.maximumTextBytes == 1_024
                ? "4,096 bytes, 1,024 bytes" : "",
            "RefusedFiles": RefusedFiles().capacity == 1_024 ? "1,024" : "",
        ]
        let page = try RepositoryPage.text("SECURITY.md")
        for (name, figure) in figures { #expect(page.contains("| \(figure) | `\(name)` |"), "\(name)") }
    }
}
